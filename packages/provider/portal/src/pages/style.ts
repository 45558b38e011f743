/** Of all pages. No request leaves for another host. */
export const style = `
:root { --text: #1b1f24; --quiet: #57606a; --back: #f6f8fa; --card: #fff; --line: #d0d7de; --main: #0b5cad; --on-main: #fff; --warn: #fff8c5; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --quiet: #9aa4af; --back: #0d1117; --card: #161b22; --line: #30363d; --main: #6cb6ff; --on-main: #0d1117; --warn: #3a2d04; }
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
.card p { margin: 0 0 0.5rem; overflow-wrap: anywhere; }
.box { margin: 1rem 0; }
.waits { background: var(--warn); }
table { width: 100%; border-collapse: collapse; background: var(--card); border: 1px solid var(--line); }
th, td { text-align: left; vertical-align: top; padding: 0.5rem 0.75rem; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--quiet); font-weight: 600; }
ul { padding-left: 1.25rem; }
code, pre { font: 0.9em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { padding: 0.75rem 1rem; overflow-x: auto; background: var(--back); border: 1px solid var(--line); border-radius: 0.375rem; }
label { display: block; font-weight: 600; margin: 1rem 0 0.25rem; }
input[type='text'], input[type='search'] { width: 100%; max-width: 30rem; padding: 0.5rem 0.75rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--quiet); border-radius: 0.375rem; }
button, .button { display: inline-block; padding: 0.5rem 1.25rem; font: inherit; font-weight: 600; text-decoration: none; color: var(--on-main); background: var(--main); border: 1px solid var(--main); border-radius: 0.375rem; cursor: pointer; }
button.quiet { color: var(--text); background: transparent; border-color: var(--quiet); padding: 0.25rem 0.75rem; font-weight: 400; }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
.search { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: end; }
`;
