function p(r,t){let e=r.querySelector(t);if(!e)throw new Error(`${t} is not in the component's HTML.`);return e}var d="testimate component";function b(r,t){let e=r,o=e[d];if(o?.markup===t&&o.box.parentNode===r)return o;o?.component?.close(),o?.box.remove();let n=document.createElement("div");n.innerHTML=t.html;let i=document.createElement("style");return i.textContent=t.css??"",n.append(i),r.append(n),e[d]={markup:t,box:n,turn:0}}function u(r,t,e,o){let n=b(r,t);(!n.component||n.component.closed)&&(n.component=e(n.box));let i=n.component;o(i),n.turn+=1;let{turn:a}=n;return()=>setTimeout(()=>{a===n.turn&&i.close()},50)}var f=`/* Pictures on a wall and beside the pointer. Colours are Okabe-Ito and Streamlit's own. */

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
`;function h(r){return r?document.querySelector(`.st-key-${CSS.escape(r)} .js-plotly-plot`):null}function x(r){let t=r?.customdata,e=Number(Array.isArray(t)?t[0]:t);return t==null||!Number.isInteger(e)?null:e}function m(r,t){let e=r?._fullLayout;if(!r||!e?.xaxis?.l2p||!e?.yaxis?.l2p)return null;for(let o of r._fullData??[]){if(o.visible!==!0||!o.customdata||o.x===void 0)continue;let n=Array.prototype.findIndex.call(o.customdata,s=>Number(Array.isArray(s)?s[0]:s)===t);if(n<0)continue;let i=e.xaxis.l2p(o.x[n]),a=e.yaxis.l2p(o.y[n]);if(!(i>=0&&i<=e.xaxis._length&&a>=0&&a<=e.yaxis._length))return null;let l=r.getBoundingClientRect();return{x:l.left+e.xaxis._offset+i,y:l.top+e.yaxis._offset+a}}return null}function g(r){if(r?.lassoPoints){let{x:i,y:a}=r.lassoPoints;return i.map((l,s)=>[l,a[s]??0])}if(!r?.range)return[];let[t=0,e=0]=r.range.x,[o=0,n=0]=r.range.y;return[[t,o],[e,o],[e,n],[t,n]]}var c=class{constructor(t){this.ring=t,this.marked=null,this.chart=null,this.plot="",this.closed=!1,this.tell=()=>{},this.click=({points:e})=>{let o=x(e?.[0]);o!==null&&(this.marked=o,this.place(),this.tell("clicked",o))},this.select=e=>{let o=g(e);o.length&&this.tell("lassoed",o)},this.place=()=>this.placeRing(),document.addEventListener("scroll",this.place,{passive:!0,capture:!0}),window.addEventListener("resize",this.place,{passive:!0}),this.watch=setInterval(()=>{this.attach(),this.placeRing()},300)}deliver({plot:t,marked:e},o){Object.assign(this,{plot:t,marked:e,tell:o}),this.attach(),this.placeRing()}attach(){let t=h(this.plot);t===this.chart&&t?.testimatePicks===this||(this.detach(),t?.on&&(this.chart=t,t.testimatePicks=this,t.on("plotly_click",this.click),t.on("plotly_selected",this.select),t.on("plotly_afterplot",this.place)))}detach(){this.chart?.removeListener?.("plotly_click",this.click),this.chart?.removeListener?.("plotly_selected",this.select),this.chart?.removeListener?.("plotly_afterplot",this.place),this.chart?.testimatePicks===this&&delete this.chart.testimatePicks,this.chart=null}placeRing(){let t=this.marked===null?null:m(this.chart,this.marked);this.ring.hidden=!t||t.y<60||t.y>innerHeight,t&&(this.ring.style.translate=`${t.x}px ${t.y}px`),this.ring.dataset.row=String(this.marked??""),this.ring.setAttribute("aria-label",this.marked===null?"":`The point of input ${this.marked}`)}close(){this.closed=!0,clearInterval(this.watch),document.removeEventListener("scroll",this.place,{capture:!0}),window.removeEventListener("resize",this.place),this.detach()}},y={html:'<div class="ring marked" hidden role="img"></div>',css:f};function P({parentElement:r,data:t,setTriggerValue:e}){return u(r,y,n=>new c(p(n,".ring")),n=>n.deliver(t,e))}export{P as default};
//# sourceMappingURL=map_picks-EHAOGGDP.js.map
