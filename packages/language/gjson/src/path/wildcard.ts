/**
 * Whether a text matches a pattern: `*` is any text, `?` any character, `\` escapes the next one. Time is linear in
 * text times pattern.
 */
export function fits(text: string, pattern: string): boolean {
  const characters = Array.from(text);
  const terms = termsOf(pattern);
  let at = 0;
  let term = 0;
  // Where to resume if the part after the last star does not match.
  let star: { readonly term: number; at: number } | undefined;
  while (at < characters.length) {
    const wanted = terms[term];
    if (wanted === 'any') {
      star = { term, at };
      term++;
    } else if (wanted !== undefined && (wanted === 'one' || wanted.character === characters[at])) {
      at++;
      term++;
    } else if (star !== undefined) {
      star.at++;
      at = star.at;
      term = star.term + 1;
    } else {
      return false;
    }
  }
  return terms.slice(term).every((rest) => rest === 'any');
}

type Term = 'any' | 'one' | { readonly character: string | undefined };

function termsOf(pattern: string): readonly Term[] {
  const characters = Array.from(pattern);
  const terms: Term[] = [];
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index];
    if (character === '*') terms.push('any');
    else if (character === '?') terms.push('one');
    else terms.push({ character: character === '\\' ? characters[++index] : character });
  }
  return terms;
}
