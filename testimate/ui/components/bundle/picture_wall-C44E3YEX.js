function a(e,o,n){let t=document.createElement(e);return o&&(t.className=o),n!==void 0&&(t.textContent=n),t}var h=e=>e.toLocaleString("en");function m(e,o){let n=e.querySelector(o);if(!n)throw new Error(`${o} is not in the component's HTML.`);return n}var w="testimate component";function L(e,o){let n=e,t=n[w];if(t?.markup===o&&t.box.parentNode===e)return t;t?.component?.close(),t?.box.remove();let r=document.createElement("div");r.innerHTML=o.html;let s=document.createElement("style");return s.textContent=o.css??"",r.append(s),e.append(r),n[w]={markup:o,box:r,turn:0}}function y(e,o){return L(e,o).box}var v=`/* Pictures on a wall and beside the pointer. Colors are Okabe-Ito and Streamlit's own. */

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
`;function k(e,{silent:o=!1}={}){if(e.image){let t=a("img",e.crisp?"look crisp":"look");return t.src=`data:image/png;base64,${e.image}`,t.alt="",t}if(e.audio){let t=a("div","look sound");if(e.spectrogram){let s=a("img","spectrogram");s.src=`data:image/png;base64,${e.spectrogram}`,s.alt=s.title=e.title??"",t.append(s)}if(o)return t.append(a("div","words","a sound: click the point to hear it")),t;let r=a("audio");return r.controls=!0,r.preload="none",r.src=`data:audio/wav;base64,${e.audio}`,t.append(r),t}if(e.text!==void 0)return a("div","look words",e.text);let n=a("dl","look cells");for(let[t,r]of e.cells??[])n.append(a("dt","",t),a("dd","",r));return e.more&&n.append(a("dt","",`and ${e.more} more`),a("dd","","")),n}function E(e){return e?document.querySelector(`.st-key-${CSS.escape(e)} .js-plotly-plot`):null}function M(e,o){let n=e?._fullLayout;if(!e||!n?.xaxis?.l2p||!n?.yaxis?.l2p)return null;for(let t of e._fullData??[]){if(t.visible!==!0||!t.customdata||t.x===void 0)continue;let r=Array.prototype.findIndex.call(t.customdata,u=>Number(Array.isArray(u)?u[0]:u)===o);if(r<0)continue;let s=n.xaxis.l2p(t.x[r]),p=n.yaxis.l2p(t.y[r]);if(!(s>=0&&s<=n.xaxis._length&&p>=0&&p<=n.yaxis._length))return null;let c=e.getBoundingClientRect();return{x:c.left+n.xaxis._offset+s,y:c.top+n.yaxis._offset+p}}return null}var C={html:'<div class="wall" role="list"></div><div class="ring" hidden></div>',css:v};function I({parentElement:e,data:o,setTriggerValue:n}){let t=y(e,C),r=m(t,".wall"),s=m(t,".ring");r.setAttribute("aria-label",o.label),r.style.setProperty("--size",`${o.size}px`);let p=o.items[0]?.look??{};r.dataset.kind=p.image?"image":p.audio?"audio":p.text!==void 0?"text":"cells";let c=i=>{let l=M(E(o.plot),i);s.hidden=!l||l.y<0||l.y>innerHeight,l&&(s.style.translate=`${l.x}px ${l.y}px`)},u=()=>{s.hidden=!0},T=o.items.map(i=>{let l=a("div","hung");l.setAttribute("role","listitem");let d=a("button",i.mark);d.type="button",d.dataset.row=String(i.row),d.title=i.more,d.setAttribute("aria-label",`input ${h(i.row)}: ${i.title}, ${i.more}`);let x=k(i.look),g=!!i.look.audio;g||d.append(x);let b=a("span","title",i.title);i.mark==="failed"&&b.append(a("span","cross"," ✗")),d.append(b),i.why&&d.append(a("span","why",i.why)),d.addEventListener("click",()=>n("picked",i.row));for(let f of["pointerenter","focus"])d.addEventListener(f,()=>c(i.row));for(let f of["pointerleave","blur"])d.addEventListener(f,u);return g&&l.append(x),l.append(d),l});r.replaceChildren(...T),u()}export{I as default};
//# sourceMappingURL=picture_wall-C44E3YEX.js.map
