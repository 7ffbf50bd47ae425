function w(r,t,e){let n=document.createElement(r);return t&&(n.className=t),e!==void 0&&(n.textContent=e),n}var k="testimate component";function H(r,t){let e=r,n=e[k];if(n?.markup===t&&n.box.parentNode===r)return n;n?.component?.close(),n?.box.remove();let o=document.createElement("div");o.innerHTML=t.html;let i=document.createElement("style");return i.textContent=t.css??"",o.append(i),r.append(o),e[k]={markup:t,box:o,turn:0}}function T(r,t,e,n){let o=H(r,t);(!o.component||o.component.closed)&&(o.component=e(o.box));let i=o.component;n(i),o.turn+=1;let{turn:s}=o;return()=>setTimeout(()=>{s===o.turn&&i.close()},50)}var E=`/* Pictures on a wall and beside the pointer. Colors are Okabe-Ito and Streamlit's own. */

.wall, .pointer, .ring {
  --chosen: #0072b2;
  --failed: #d55e00;
  --ink: var(--st-text-color, #222);
  --paper: var(--st-background-color, #fff);
  --stone: var(--st-secondary-background-color, #f3f4f6);
  --soft: color-mix(in srgb, var(--ink) 72%, var(--paper));
  --line: color-mix(in srgb, var(--ink) 17%, var(--paper));
  color: var(--ink);
  font-family: var(--st-font, sans-serif);
  font-size: 13px;
  line-height: 1.3;
  font-variant-numeric: tabular-nums;
}

.wall *, .pointer * { box-sizing: border-box; }

.wall {
  --side: var(--size);
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(calc(var(--side) + 12px), 1fr));
  gap: 8px 6px;
  padding: 2px;
}

.wall[data-kind="text"], .wall[data-kind="cells"] { grid-template-columns: repeat(auto-fill, minmax(230px, 1fr)); }
.wall[data-kind="audio"] { grid-template-columns: repeat(auto-fill, minmax(220px, 1fr)); }

@media (min-width: 1600px) { .wall { --side: calc(var(--size) * 1.4); } }

.hung { min-width: 0; }

.hung button {
  display: flex;
  flex-direction: column;
  align-items: flex-start;
  gap: 1px;
  width: 100%;
  padding: 5px;
  border: 1px solid transparent;
  border-radius: 6px;
  background: none;
  color: inherit;
  font: inherit;
  text-align: left;
  cursor: pointer;
}

.hung button:hover { border-color: var(--line); background: var(--stone); }
.hung button:focus-visible { outline: 2px solid var(--chosen); outline-offset: 1px; }

.wall[data-kind="image"] .look { width: var(--side); max-height: var(--side); object-fit: contain; margin-bottom: 3px; }
.look.crisp { image-rendering: pixelated; }
.wall[data-kind="image"] button.failed .look { outline: 2px solid var(--failed); outline-offset: 1px; }
.wall audio { display: block; width: 100%; height: 32px; }
.sound .spectrogram { display: block; width: 100%; height: 70px; margin-bottom: 4px; border-radius: 4px; background: var(--stone); }

.words {
  width: 100%;
  padding: 6px 8px;
  border-radius: 4px;
  background: var(--stone);
  white-space: pre-wrap;
  overflow-wrap: anywhere;
  display: -webkit-box;
  -webkit-box-orient: vertical;
  -webkit-line-clamp: 5;
  overflow: hidden;
}

.cells { display: grid; grid-template-columns: auto 1fr; gap: 1px 10px; width: 100%; margin: 0 0 3px; padding: 6px 8px; border-radius: 4px; background: var(--stone); }
.cells dt { color: var(--soft); overflow-wrap: anywhere; }
.cells dd { margin: 0; overflow-wrap: anywhere; }

.title { max-width: 100%; overflow-wrap: anywhere; font-weight: 600; }
.why { max-width: 100%; color: var(--soft); font-size: 12px; overflow-wrap: anywhere; }
.cross { color: var(--failed); font-weight: 700; }

.pointer {
  position: fixed;
  top: 0;
  left: 0;
  z-index: 1000;
  display: flex;
  flex-direction: column;
  gap: 2px;
  max-width: 260px;
  padding: 10px;
  border: 1px solid var(--line);
  border-radius: 8px;
  background: var(--paper);
  box-shadow: 0 6px 24px rgb(0 0 0 / 22%);
  pointer-events: none;
}

.pointer[hidden], .ring[hidden] { display: none; }
.pointer img.look { width: 132px; max-height: 132px; object-fit: contain; margin-bottom: 5px; }

.ring {
  position: fixed;
  top: -13px;
  left: -13px;
  z-index: 1000;
  box-sizing: border-box;
  width: 26px;
  height: 26px;
  border: 3px solid var(--ink);
  border-radius: 50%;
  box-shadow: 0 0 0 2px var(--paper), inset 0 0 0 2px var(--paper);
  pointer-events: none;
}
`;var m=class{constructor(t){this.moved=t,this.chart=null,this.view=null,this.timer=void 0,this.stretched=new Set,this.wheel=e=>{!e.ctrlKey&&!e.metaKey?e.stopPropagation():this.turn(e)&&(e.stopPropagation(),e.preventDefault())},this.drawn=()=>this.end()}attach(t){this.chart=t,t.addEventListener("wheel",this.wheel,{capture:!0,passive:!1}),t.on?.("plotly_afterplot",this.drawn)}detach(){this.end(),this.chart?.removeEventListener("wheel",this.wheel,{capture:!0}),this.chart?.removeListener?.("plotly_afterplot",this.drawn),this.chart=null}turn(t){let e=this.chart?._fullLayout,n=this.button();if(!this.chart||!e?.xaxis?.range||!e.yaxis?.range||!n)return!1;let o=this.chart.getBoundingClientRect(),i=(t.clientX-o.left-e.xaxis._offset)/e.xaxis._length,s=1-(t.clientY-o.top-e.yaxis._offset)/e.yaxis._length;if(!(i>=0&&i<=1&&s>=0&&s<=1))return!1;let{x:a,y:c}=this.view??{x:e.xaxis.range,y:e.yaxis.range},l=Math.exp(Math.min(Math.max(t.deltaY,-20),20)*.005);this.view={x:M(a,i,l),y:M(c,s,l)},this.stretch(),this.moved(),clearTimeout(this.timer);let d=(e.xaxis.range[1]-e.xaxis.range[0])/(this.view.x[1]-this.view.x[0]);return d>4||d<1/4?this.draw():this.timer=setTimeout(()=>this.draw(),140),!0}stretch(){let t=this.chart?._fullLayout;if(!this.chart||!this.view||!t)return;let{xaxis:e,yaxis:n}=t,[o,i]=this.view.x,[s,a]=this.view.y,c=(e.range[1]-e.range[0])/(i-o),l=(n.range[1]-n.range[0])/(a-s),d=(e.range[0]-o)/(i-o)*e._length,u=(a-n.range[1])/(a-s)*n._length,h=this.chart.querySelector(".gl-container");if(h instanceof HTMLElement){let p=[h.clientWidth-e._offset-e._length,h.clientHeight-n._offset-n._length];h.style.clipPath=`inset(${n._offset}px ${p[0]}px ${p[1]}px ${e._offset}px)`,this.stretched.add(h)}let[P,O]=[e._offset*(1-c)+d,n._offset*(1-l)+u];this.put(".gl-container canvas",`translate(${P}px, ${O}px) scale(${c}, ${l})`),this.put(".cartesianlayer .overplot > g > g",`translate(${d}px, ${u}px) scale(${c}, ${l})`);for(let[p,{x:g,y,xref:C}]of Array.from(t.annotations??[]).entries()){if(C==="paper"||typeof g!="number"||typeof y!="number")continue;let z=[e.l2p(g),n.l2p(y)],_=[(g-o)/(i-o)*e._length,(a-y)/(a-s)*n._length],R=_.every((f,b)=>f>=0&&f<=(b?n:e)._length),N=_.map((f,b)=>`${f-(z[b]??0)}px`);this.put(`.annotation[data-index="${p}"]`,`translate(${N.join(", ")})`,R?"":"hidden")}}put(t,e,n=""){for(let o of this.chart?.querySelectorAll(t)??[])Object.assign(o.style,{transformOrigin:"0 0",transform:e,visibility:n}),this.stretched.add(o)}draw(){let t=this.chart?._fullLayout,e=this.button();if(!this.view||!t||!e)return this.end();let n=[t.xaxis,t.yaxis],o=n.map(a=>[a._rangeInitial0,a._rangeInitial1]),i=[this.view.x,this.view.y];n.forEach((a,c)=>{[a._rangeInitial0,a._rangeInitial1]=i[c]??[]}),e.click();let s=[this.chart?._fullLayout?.xaxis,this.chart?._fullLayout?.yaxis];for(let a of[n,s])a.forEach((c,l)=>{c&&([c._rangeInitial0,c._rangeInitial1]=o[l]??[])})}end(){clearTimeout(this.timer),this.view=null;for(let t of this.stretched)Object.assign(t.style,{clipPath:"",transform:"",transformOrigin:"",visibility:""});this.stretched.clear()}button(){return this.chart?.querySelector(".modebar-btn[data-attr=zoom][data-val=reset]")??null}};function M([r,t],e,n){let o=r+(t-r)*e;return[o+(r-o)*n,o+(t-o)*n]}function L(r){return r?document.querySelector(`.st-key-${CSS.escape(r)} .js-plotly-plot`):null}function x(r){let t=r?._fullLayout;return!!(t?.xaxis?.range&&t.yaxis?.range)&&!(t?.xaxis.autorange&&t.yaxis.autorange)}function S(r){let t=r?._fullLayout;if(!t?.xaxis?.range||!t.yaxis?.range)return null;let[e,n]=t.xaxis.range,[o,i]=t.yaxis.range;return[e,n,o,i,t.xaxis._length,t.yaxis._length]}function $(r,t){let e=new Map;if(!t.size)return e;for(let n of r?._fullData??[]){let o=n.visible===!0?n.marker?.color:null;if(!(!n.customdata||n.marker?.symbol?.toString().endsWith("-open")))for(let i of Array.from(n.customdata)){let s=Number(Array.isArray(i)?i[0]:i);t.has(s)&&(o===null||typeof o=="string")&&e.set(s,o)}}return e}var I=120,v=class{constructor(){this.layer=w("div","map-pictures"),Object.assign(this.layer.style,{position:"absolute",overflow:"hidden",pointerEvents:"none"}),this.chart=null,this.plot="",this.name="",this.on=!1,this.side=0,this.asked="",this.closed=!1,this.pictures=[],this.tell=()=>{},this.timer=void 0,this.move=()=>this.place(),this.drawn=()=>{this.draw(),this.look()},this.zoom=new m(()=>this.place()),this.watch=setInterval(()=>this.attach(),300)}deliver({plot:t,name:e,on:n,side:o,pictures:i},s){(e!==this.name||n!==this.on)&&(this.asked=""),Object.assign(this,{plot:t,name:e,on:n,side:o,pictures:i,tell:s}),this.attach(),this.draw(),this.look()}attach(){let t=L(this.plot);t===this.chart&&t?.testimatePictures===this||(this.detach(),t?.on&&(this.chart=t,t.testimatePictures=this,this.zoom.attach(t),t.on("plotly_relayouting",this.move),t.on("plotly_afterplot",this.drawn),this.drawn()))}detach(){this.layer.remove(),this.zoom.detach(),this.chart?.removeListener?.("plotly_relayouting",this.move),this.chart?.removeListener?.("plotly_afterplot",this.drawn),this.chart?.testimatePictures===this&&delete this.chart.testimatePictures,this.chart=null}look(){clearTimeout(this.timer),!(!this.on||!x(this.chart))&&(this.timer=setTimeout(()=>{let t=x(this.chart)?S(this.chart):null;!t||String(t)===this.asked||(this.asked=String(t),this.tell("seen",t))},I))}draw(){let t=this.on&&x(this.chart)?this.pictures:[],e=$(this.chart,new Set(t.map(({row:i})=>i))),n=t.filter(({row:i})=>e.get(i)!==null).map(i=>{let s=w("img");return s.src=`data:image/png;base64,${i.image}`,s.alt="",s.dataset.row=String(i.row),Object.assign(s.style,{position:"absolute",left:"0",top:"0",boxSizing:"border-box",width:`${this.side}px`,height:`${this.side}px`,objectFit:"contain",borderRadius:"3px",border:`2px solid ${e.get(i.row)??"#888"}`,background:"var(--st-background-color, #fff)",imageRendering:i.crisp?"pixelated":"auto"}),s});this.layer.replaceChildren(...n);let o=this.chart?.querySelector(".svg-container > .main-svg ~ .main-svg");o&&this.layer.nextElementSibling!==o&&o.before(this.layer),this.place()}place(){let t=this.chart?._fullLayout;if(!t?.xaxis?.range||!t.yaxis?.range)return;let{xaxis:e,yaxis:n}=t;Object.assign(this.layer.style,{left:`${e._offset}px`,top:`${n._offset}px`,width:`${e._length}px`,height:`${n._length}px`});let[o,i]=this.zoom.view?.x??e.range,[s,a]=this.zoom.view?.y??n.range,c=new Map(this.pictures.map(l=>[String(l.row),l]));for(let l of this.layer.children){let d=c.get(l.dataset.row??"");if(!d)continue;let u=(d.x-o)/(i-o)*e._length-this.side/2,h=(a-d.y)/(a-s)*n._length-this.side/2;l.style.transform=`translate(${u}px, ${h}px)`}}close(){this.closed=!0,clearInterval(this.watch),clearTimeout(this.timer),this.detach()}},j={html:'<div class="pictures" hidden aria-hidden="true"></div>',css:E};function X({parentElement:r,data:t,setTriggerValue:e}){return T(r,j,()=>new v,o=>o.deliver(t,e))}export{X as default};
//# sourceMappingURL=map_pictures-C4CBFA4P.js.map
