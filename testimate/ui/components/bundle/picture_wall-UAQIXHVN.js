function i(t,n,o){let e=document.createElement(t);return n&&(e.className=n),o!==void 0&&(e.textContent=o),e}function x(t,n){let o=t.querySelector(n);if(!o)throw new Error(`${n} is not in the component's HTML.`);return o}var w="testimate component";function $(t,n){let o=t,e=o[w];if(e?.markup===n&&e.box.parentNode===t)return e;e?.component?.close(),e?.box.remove();let r=document.createElement("div");r.innerHTML=n.html;let s=document.createElement("style");return s.textContent=n.css??"",r.append(s),t.append(r),o[w]={markup:n,box:r,turn:0}}function h(t,n){return $(t,n).box}var y=`/* Pictures on a wall and beside the pointer. Colours are Okabe-Ito and Streamlit's own. */

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
`;function v(t,{silent:n=!1}={}){if(t.image){let e=i("img",t.crisp?"look crisp":"look");return e.src=`data:image/png;base64,${t.image}`,e.alt="",e}if(t.audio){let e=i("div","look sound");if(t.spectrogram){let s=i("img","spectrogram");s.src=`data:image/png;base64,${t.spectrogram}`,s.alt=s.title=t.title??"",e.append(s)}if(n)return e.append(i("div","words","a sound: click the point to hear it")),e;let r=i("audio");return r.controls=!0,r.preload="none",r.src=`data:audio/wav;base64,${t.audio}`,e.append(r),e}if(t.text!==void 0)return i("div","look words",t.text);let o=i("dl","look cells");for(let[e,r]of t.cells??[])o.append(i("dt","",e),i("dd","",r));return t.more&&o.append(i("dt","",`and ${t.more} more`),i("dd","","")),o}function k(t){return t?document.querySelector(`.st-key-${CSS.escape(t)} .js-plotly-plot`):null}function z(t,n){let o=t?._fullLayout;if(!t||!o?.xaxis?.l2p||!o?.yaxis?.l2p)return null;for(let e of t._fullData??[]){if(e.visible!==!0||!e.customdata||e.x===void 0)continue;let r=Array.prototype.findIndex.call(e.customdata,c=>Number(Array.isArray(c)?c[0]:c)===n);if(r<0)continue;let s=o.xaxis.l2p(e.x[r]),p=o.yaxis.l2p(e.y[r]);if(!(s>=0&&s<=o.xaxis._length&&p>=0&&p<=o.yaxis._length))return null;let u=t.getBoundingClientRect();return{x:u.left+o.xaxis._offset+s,y:u.top+o.yaxis._offset+p}}return null}var _={html:'<div class="wall" role="list"></div><div class="ring" hidden></div>',css:y};function H({parentElement:t,data:n,setTriggerValue:o}){let e=h(t,_),r=x(e,".wall"),s=x(e,".ring");r.setAttribute("aria-label",n.label),r.style.setProperty("--size",`${n.size}px`);let p=n.items[0]?.look??{};r.dataset.kind=p.image?"image":p.audio?"audio":p.text!==void 0?"text":"cells";let u=a=>{let l=z(k(n.plot),a);s.hidden=!l||l.y<0||l.y>innerHeight,l&&(s.style.translate=`${l.x}px ${l.y}px`)},c=()=>{s.hidden=!0},A=n.items.map(a=>{let l=i("div","hung");l.setAttribute("role","listitem");let d=i("button",a.mark);d.type="button",d.dataset.row=String(a.row),d.title=a.more,d.setAttribute("aria-label",`input ${a.row}: ${a.title}, ${a.more}`);let m=v(a.look),g=!!a.look.audio;g||d.append(m);let b=i("span","title",a.title);a.mark==="failed"&&b.append(i("span","cross"," ✗")),d.append(b),a.why&&d.append(i("span","why",a.why)),d.addEventListener("click",()=>o("picked",a.row));for(let f of["pointerenter","focus"])d.addEventListener(f,()=>u(a.row));for(let f of["pointerleave","blur"])d.addEventListener(f,c);return g&&l.append(m),l.append(d),l});r.replaceChildren(...A),c()}export{H as default};
//# sourceMappingURL=picture_wall-UAQIXHVN.js.map
