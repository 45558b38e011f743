const parts: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  { name: 'sentence under its title that says what it is', pattern: /^# .+\n+[A-Z]/u },
  { name: 'line that installs it (`npm install …`)', pattern: /npm install /u },
  { name: 'example (a ```ts block)', pattern: /^```ts$/mu },
  { name: 'section "Guarantees"', pattern: /^#+ Guarantees$/mu },
  { name: 'section "Limits"', pattern: /^#+ Limits$/mu },
];

/** Required parts that a library's README lacks. */
export function missingParts(text: string): readonly string[] {
  return parts.filter(({ pattern }) => !pattern.test(text)).map(({ name }) => name);
}

/** Fenced blocks of one language. Empty lines precede each, to keep the line numbers of the text. */
export function codeBlocks(text: string, language: string): readonly string[] {
  const blocks: string[] = [];
  let start: number | undefined;
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    if (start === undefined && line === `\`\`\`${language}`) start = index + 1;
    else if (start !== undefined && line === '```') {
      blocks.push('\n'.repeat(start) + lines.slice(start, index).join('\n'));
      start = undefined;
    }
  }
  if (start !== undefined) throw new Error(`line ${start}: the block is not closed`);
  return blocks;
}
