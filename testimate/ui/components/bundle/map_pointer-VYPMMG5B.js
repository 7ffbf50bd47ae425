function a(o,t,n){let e=document.createElement(o);return t&&(e.className=t),n!==void 0&&(e.textContent=n),e}function c(o,t){let n=o.querySelector(t);if(!n)throw new Error(`${t} is not in the component's HTML.`);return n}var u="testimate component";function b(o,t){let n=o,e=n[u];if(e?.markup===t&&e.box.parentNode===o)return e;e?.component?.close(),e?.box.remove();let r=document.createElement("div");r.innerHTML=t.html;let i=document.createElement("style");return i.textContent=t.css??"",r.append(i),o.append(r),n[u]={markup:t,box:r,turn:0}}function h(o,t,n,e){let r=b(o,t);(!r.component||r.component.closed)&&(r.component=n(r.box));let i=r.component;e(i),r.turn+=1;let{turn:s}=r;return()=>setTimeout(()=>{s===r.turn&&i.close()},50)}var m=`/* Pictures on a wall and beside the pointer. Colors are Okabe-Ito and Streamlit's own. */

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
`;function f(o,{silent:t=!1}={}){if(o.image){let e=a("img",o.crisp?"look crisp":"look");return e.src=`data:image/png;base64,${o.image}`,e.alt="",e}if(o.audio){let e=a("div","look sound");if(o.spectrogram){let i=a("img","spectrogram");i.src=`data:image/png;base64,${o.spectrogram}`,i.alt=i.title=o.title??"",e.append(i)}if(t)return e.append(a("div","words","a sound: click the point to hear it")),e;let r=a("audio");return r.controls=!0,r.preload="none",r.src=`data:audio/wav;base64,${o.audio}`,e.append(r),e}if(o.text!==void 0)return a("div","look words",o.text);let n=a("dl","look cells");for(let[e,r]of o.cells??[])n.append(a("dt","",e),a("dd","",r));return o.more&&n.append(a("dt","",`and ${o.more} more`),a("dd","","")),n}function x(o){return o?document.querySelector(`.st-key-${CSS.escape(o)} .js-plotly-plot`):null}function g(o){let t=o?.customdata,n=Number(Array.isArray(t)?t[0]:t);return t==null||!Number.isInteger(n)?null:n}function v(o,t){let n=o?._fullLayout;if(!o||!n?.xaxis?.l2p||!n?.yaxis?.l2p)return null;for(let e of o._fullData??[]){if(e.visible!==!0||!e.customdata||e.x===void 0)continue;let r=Array.prototype.findIndex.call(e.customdata,l=>Number(Array.isArray(l)?l[0]:l)===t);if(r<0)continue;let i=n.xaxis.l2p(e.x[r]),s=n.yaxis.l2p(e.y[r]);if(!(i>=0&&i<=n.xaxis._length&&s>=0&&s<=n.yaxis._length))return null;let d=o.getBoundingClientRect();return{x:d.left+n.xaxis._offset+i,y:d.top+n.yaxis._offset+s}}return null}var k=40,p=class{constructor(t){this.card=t,this.known=new Map,this.row=null,this.asked=null,this.chart=null,this.plot="",this.name="",this.place={x:0,y:0},this.closed=!1,this.ask=()=>{},this.timer=void 0,this.hover=n=>this.over(n),this.unhover=()=>this.away(),this.leave=n=>{this.row!==null&&!this.chart?.contains(n.target)&&this.away()},this.scroll=()=>this.away(),document.addEventListener("pointermove",this.leave,{passive:!0}),document.addEventListener("scroll",this.scroll,{passive:!0,capture:!0}),this.watch=setInterval(()=>this.attach(),300)}deliver({plot:t,name:n,looks:e},r){n!==this.name&&this.known.clear(),Object.assign(this,{plot:t,name:n,ask:r});for(let[i,s]of Object.entries(e))this.known.set(Number(i),s);this.asked=null,this.attach(),this.row!==null&&this.show()}attach(){let t=x(this.plot);t===this.chart&&t?.testimatePointer===this||(this.detach(),t?.on&&(this.chart=t,t.testimatePointer=this,t.on("plotly_hover",this.hover),t.on("plotly_unhover",this.unhover)))}detach(){this.chart?.removeListener?.("plotly_hover",this.hover),this.chart?.removeListener?.("plotly_unhover",this.unhover),this.chart?.testimatePointer===this&&delete this.chart.testimatePointer,this.chart=null}over({points:t,event:n}){let e=g(t?.[0]);e!==null&&(this.row=e,this.place=v(this.chart,e)??{x:n.clientX,y:n.clientY},clearTimeout(this.timer),this.timer=setTimeout(()=>this.show(),this.known.has(e)?0:k))}away(){clearTimeout(this.timer),this.row=null,this.card.hidden=!0}show(){if(this.row===null)return;let t=this.known.get(this.row);if(!t){this.asked===null&&(this.asked=this.row,this.ask("asked",this.row),setTimeout(()=>{this.asked=null},3e3));return}let n=t.lines.map((l,w)=>a("span",w?"why":"title",l));this.card.replaceChildren(f(t,{silent:!0}),...n),this.card.dataset.row=String(this.row),this.card.hidden=!1;let{width:e,height:r}=this.card.getBoundingClientRect(),s=this.place.x+18+e<innerWidth?this.place.x+18:this.place.x-18-e,d=Math.min(Math.max(8,this.place.y-r/2),innerHeight-r-8);this.card.style.translate=`${s}px ${d}px`}close(){this.closed=!0,clearInterval(this.watch),document.removeEventListener("pointermove",this.leave),document.removeEventListener("scroll",this.scroll,{capture:!0}),this.away(),this.detach()}},T={html:'<div class="pointer" hidden aria-hidden="true"></div>',css:m};function A({parentElement:o,data:t,setTriggerValue:n}){return h(o,T,r=>new p(c(r,".pointer")),r=>r.deliver(t,n))}export{A as default};
//# sourceMappingURL=map_pointer-VYPMMG5B.js.map
