var c=n=>n.toLocaleString("en");function p(n,t){let e=n.querySelector(t);if(!e)throw new Error(`${t} is not in the component's HTML.`);return e}var u="testimate component";function w(n,t){let e=n,o=e[u];if(o?.markup===t&&o.box.parentNode===n)return o;o?.component?.close(),o?.box.remove();let r=document.createElement("div");r.innerHTML=t.html;let i=document.createElement("style");return i.textContent=t.css??"",r.append(i),n.append(r),e[u]={markup:t,box:r,turn:0}}function m(n,t,e,o){let r=w(n,t);(!r.component||r.component.closed)&&(r.component=e(r.box));let i=r.component;o(i),r.turn+=1;let{turn:a}=r;return()=>setTimeout(()=>{a===r.turn&&i.close()},50)}var h=`/* Pictures on a wall and beside the pointer. Colors are Okabe-Ito and Streamlit's own. */

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
`;function f(n){return n?document.querySelector(`.st-key-${CSS.escape(n)} .js-plotly-plot`):null}function x(n){let t=n?.customdata,e=Number(Array.isArray(t)?t[0]:t);return t==null||!Number.isInteger(e)?null:e}function g(n,t){let e=n?._fullLayout;if(!n||!e?.xaxis?.l2p||!e?.yaxis?.l2p)return null;for(let o of n._fullData??[]){if(o.visible!==!0||!o.customdata||o.x===void 0)continue;let r=Array.prototype.findIndex.call(o.customdata,l=>Number(Array.isArray(l)?l[0]:l)===t);if(r<0)continue;let i=e.xaxis.l2p(o.x[r]),a=e.yaxis.l2p(o.y[r]);if(!(i>=0&&i<=e.xaxis._length&&a>=0&&a<=e.yaxis._length))return null;let s=n.getBoundingClientRect();return{x:s.left+e.xaxis._offset+i,y:s.top+e.yaxis._offset+a}}return null}function b(n){if(n?.lassoPoints){let{x:i,y:a}=n.lassoPoints;return i.map((s,l)=>[s,a[l]??0])}if(!n?.range)return[];let[t=0,e=0]=n.range.x,[o=0,r=0]=n.range.y;return[[t,o],[e,o],[e,r],[t,r]]}var d=class{constructor(t){this.ring=t,this.marked=null,this.chart=null,this.plot="",this.closed=!1,this.tell=()=>{},this.click=({points:e})=>{let o=x(e?.[0]);o!==null&&(this.marked=o,this.place(),this.tell("clicked",o))},this.select=e=>{let o=b(e);o.length&&this.tell("lassoed",o)},this.place=()=>this.placeRing(),document.addEventListener("scroll",this.place,{passive:!0,capture:!0}),window.addEventListener("resize",this.place,{passive:!0}),this.watch=setInterval(()=>{this.attach(),this.placeRing()},300)}deliver({plot:t,marked:e},o){Object.assign(this,{plot:t,marked:e,tell:o}),this.attach(),this.placeRing()}attach(){let t=f(this.plot);t===this.chart&&t?.testimatePicks===this||(this.detach(),t?.on&&(this.chart=t,t.testimatePicks=this,t.on("plotly_click",this.click),t.on("plotly_selected",this.select),t.on("plotly_afterplot",this.place)))}detach(){this.chart?.removeListener?.("plotly_click",this.click),this.chart?.removeListener?.("plotly_selected",this.select),this.chart?.removeListener?.("plotly_afterplot",this.place),this.chart?.testimatePicks===this&&delete this.chart.testimatePicks,this.chart=null}placeRing(){let t=this.marked===null?null:g(this.chart,this.marked);this.ring.hidden=!t||t.y<60||t.y>innerHeight,t&&(this.ring.style.translate=`${t.x}px ${t.y}px`),this.ring.dataset.row=String(this.marked??""),this.ring.setAttribute("aria-label",this.marked===null?"":`The point of input ${c(this.marked)}`)}close(){this.closed=!0,clearInterval(this.watch),document.removeEventListener("scroll",this.place,{capture:!0}),window.removeEventListener("resize",this.place),this.detach()}},y={html:'<div class="ring marked" hidden role="img"></div>',css:h};function N({parentElement:n,data:t,setTriggerValue:e}){return m(n,y,r=>new d(p(r,".ring")),r=>r.deliver(t,e))}export{N as default};
//# sourceMappingURL=map_picks-VEZ3GFOV.js.map
