/** As the pages of the portal look. No request leaves for another host. */
export const style = `
:root { --text: #1b1f24; --quiet: #57606a; --back: #f6f8fa; --card: #fff; --line: #d0d7de; --main: #0b5cad; --on-main: #fff; --warn: #fff8c5; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --quiet: #9aa4af; --back: #0d1117; --card: #161b22; --line: #30363d; --main: #6cb6ff; --on-main: #0d1117; --warn: #3a2d04; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
header { padding: 0.75rem 1.5rem; background: var(--card); border-bottom: 1px solid var(--line); font-weight: 600; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 0.5rem; overflow-wrap: anywhere; }
p { margin: 0 0 0.75rem; overflow-wrap: anywhere; }
.quiet-text { color: var(--quiet); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); gap: 1rem; padding: 0; margin: 1rem 0; list-style: none; }
.card, .box { background: var(--card); border: 1px solid var(--line); border-radius: 0.5rem; padding: 1rem 1.25rem; }
.card h2 { margin: 0 0 0.25rem; font-size: 1.05rem; }
.box { margin: 1rem 0; }
.waits { background: var(--warn); }
button { display: inline-block; padding: 0.5rem 1.25rem; font: inherit; font-weight: 600; color: var(--on-main); background: var(--main); border: 1px solid var(--main); border-radius: 0.375rem; cursor: pointer; }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
`;
