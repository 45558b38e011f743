/** Styles of all pages. No request goes to another host. */
export const style = `
:root { --text: #1b1f24; --quiet: #57606a; --back: #f6f8fa; --card: #fff; --line: #d0d7de; --main: #0b5cad; --on-main: #fff; --warn: #fff8c5; --good: #1a7f37; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --quiet: #9aa4af; --back: #0d1117; --card: #161b22; --line: #30363d; --main: #6cb6ff; --on-main: #0d1117; --warn: #3a2d04; --good: #57c76b; --bad: #ff8a80; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; justify-content: space-between; align-items: center; padding: 0.75rem 1.5rem; background: var(--card); border-bottom: 1px solid var(--line); }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 0.5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 1.75rem 0 0.5rem; overflow-wrap: anywhere; }
p { margin: 0 0 0.75rem; }
a { color: var(--main); }
.home { font-weight: 600; color: var(--text); text-decoration: none; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 0.5rem; top: 0.5rem; padding: 0.5rem; background: var(--card); }
.quiet-text { color: var(--quiet); }
.person { display: flex; gap: 0.75rem; align-items: center; margin: 0; color: var(--quiet); overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); gap: 1rem; padding: 0; margin: 1rem 0; list-style: none; }
.card, .box { background: var(--card); border: 1px solid var(--line); border-radius: 0.5rem; padding: 1rem 1.25rem; }
.card h3 { margin: 0 0 0.25rem; font-size: 1.05rem; overflow-wrap: anywhere; }
.icon { float: right; margin: 0 0 0.25rem 0.75rem; border-radius: 0.375rem; object-fit: contain; }
h1 .icon { float: none; margin: 0 0.75rem 0 0; vertical-align: middle; }
.card p { margin: 0 0 0.5rem; overflow-wrap: anywhere; }
.box { margin: 1rem 0; }
.waits { background: var(--warn); }
table { width: 100%; border-collapse: collapse; background: var(--card); border: 1px solid var(--line); }
th, td { text-align: left; vertical-align: top; padding: 0.5rem 0.75rem; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--quiet); font-weight: 600; }
ul { padding-left: 1.25rem; }
code, pre { font: 0.9em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { padding: 0.75rem 1rem; white-space: pre-wrap; background: var(--back); border: 1px solid var(--line); border-radius: 0.375rem; }
fieldset { margin: 1rem 0; padding: 0; border: 0; }
legend { font-weight: 600; padding: 0; }
.box > h2:first-of-type { margin-top: 0; }
.code { font-size: 1.25rem; }
label.choice { display: flex; gap: 0.5rem; align-items: baseline; font-weight: 400; margin: 0.25rem 0; overflow-wrap: anywhere; }
label { display: block; font-weight: 600; margin: 1rem 0 0.25rem; }
input[type='text'], input[type='search'], textarea { width: 100%; max-width: 30rem; padding: 0.5rem 0.75rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--quiet); border-radius: 0.375rem; }
textarea { max-width: none; font-family: ui-monospace, monospace; font-size: 0.875rem; }
button, .button { display: inline-block; padding: 0.5rem 1.25rem; font: inherit; font-weight: 600; text-decoration: none; color: var(--on-main); background: var(--main); border: 1px solid var(--main); border-radius: 0.375rem; cursor: pointer; }
button.quiet { color: var(--text); background: transparent; border-color: var(--quiet); padding: 0.25rem 0.75rem; font-weight: 400; }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
nav { display: flex; gap: 1rem; flex: 1; flex-wrap: wrap; }
@media (max-width: 40rem) {
  nav { order: 1; flex-basis: 100%; }
  td { min-width: 8rem; }
}
td time { white-space: nowrap; }
.badge { display: inline-block; padding: 0 0.6rem; border: 1px solid currentcolor; border-radius: 1rem; font-size: 0.9rem; font-weight: 600; }
.badge.good { color: var(--good); }
.badge.bad { color: var(--bad); }
.badge.open { color: var(--quiet); }
td > p { margin: 0.25rem 0 0; overflow-wrap: anywhere; }
td code { overflow-wrap: anywhere; }
.steps { padding-left: 0; list-style: none; }
.steps li { margin: 0; padding: 0.5rem 0 0.5rem 1rem; border-left: 4px solid var(--line); }
.steps li.done { border-color: var(--good); }
.steps li.current { border-color: var(--main); background: var(--card); }
.steps li.stopped { border-color: var(--bad); background: var(--card); }
.steps p { margin: 0.25rem 0 0; overflow-wrap: anywhere; }
.scrolls { overflow-x: auto; }
.buttons { align-items: center; display: flex; gap: 0.75rem; flex-wrap: wrap; }
th[scope='row'] { min-width: 7rem; font-weight: 400; overflow-wrap: break-word; }
th > p { margin: 0.25rem 0 0; font-weight: 400; }
details { margin: 1rem 0; }
summary { cursor: pointer; font-weight: 600; }
summary + p { margin-top: 0.5rem; }
details table { margin-top: 0.5rem; }
input:not([type='hidden']) + p, input:not([type='hidden']) + div { margin-top: 1rem; }
.search { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: end; }
`;

/** Browser tab icon: two rings, one bound into the other. */
export const tabIcon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke-width="4"><circle cx="12" cy="16" r="8" stroke="#0b5cad"/><circle cx="20" cy="16" r="8" stroke="#1a7f37"/></svg>';
