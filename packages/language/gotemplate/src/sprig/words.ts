import { isDigit, isLetter, isLower, isSpace, isUpper, lowerChar, upperChar } from './letters.js';

/** The first letter of every word in upper case. */
export function title(text: string): string {
  let before = ' ';
  return Array.from(text, (char) => {
    const starts = separates(before);
    before = char;
    return starts ? upperChar(char) : char;
  }).join('');
}

function separates(char: string): boolean {
  if (char <= '\x7f') return !/[A-Za-z0-9_]/u.test(char);
  return !isLetter(char) && !isDigit(char) && isSpace(char);
}

/** The first letter of every word in lower case. */
export function untitle(text: string): string {
  let starts = true;
  return Array.from(text, (char) => {
    if (isSpace(char)) {
      starts = true;
      return char;
    }
    const result = starts ? lowerChar(char) : char;
    starts = false;
    return result;
  }).join('');
}

/** Swaps upper and lower case. */
export function swapCase(text: string): string {
  return Array.from(text, (char) =>
    isUpper(char) || /^\p{Lt}$/u.test(char) ? lowerChar(char) : isLower(char) ? upperChar(char) : char,
  ).join('');
}

const isConnector = (char: string): boolean => char === '-' || char === '_' || isSpace(char);

/** `some_words` as `SomeWords`. Keeps connectors at the ends, and drops one of several in a row. */
export function pascalCase(text: string): string {
  const chars = Array.from(text);
  const start = chars.findIndex((char) => !isConnector(char));
  // A text of connectors gains one: a bug of the original that existing names may depend on.
  if (start < 0) return text + (chars.at(-1) ?? '');
  let result = chars.slice(0, start).join('');
  const first = chars[start] ?? '';
  let afterUpper = isUpper(first);
  let pending = upperChar(first);
  for (const char of chars.slice(start + 1)) {
    let next = char;
    if (isConnector(char) && isConnector(pending)) {
      result += pending;
      pending = char;
      continue;
    }
    if (isConnector(pending)) {
      afterUpper = isUpper(char);
      next = upperChar(char);
    } else {
      if (afterUpper) {
        if (isUpper(char)) next = lowerChar(char);
        else afterUpper = false;
      }
      result += pending;
    }
    pending = next;
  }
  return result + pending;
}

type WordKind = 'number' | 'upper' | 'alphabet' | 'connector' | 'punctuation' | 'other';

interface Word {
  readonly kind: WordKind;
  readonly text: string;
}

const isAlphabet = (char: string): boolean =>
  isLetter(char) &&
  (isUpper(char) || isLower(char) || (!/^\p{Script=Han}$/u.test(char) && !/^[\p{Lo}\p{Lm}]$/u.test(char)));
const isNumber = (char: string): boolean => /^\p{N}$/u.test(char);
const isPunctuation = (char: string): boolean => /^\p{P}$/u.test(char);

/** Splits words by kinds of characters; `HTTPServer` is `HTTP` and `Server`. */
function wordsOf(text: string): Word[] {
  const chars = Array.from(text);
  const words: Word[] = [];
  const runFrom = (start: number, test: (char: string) => boolean): number => {
    let end = start;
    while (end < chars.length && test(chars[end] ?? '')) end++;
    return end;
  };
  for (let start = 0; start < chars.length;) {
    const first = chars[start] ?? '';
    let kind: WordKind;
    let end: number;
    if (isConnector(first)) [kind, end] = ['connector', runFrom(start, isConnector)];
    else if (isPunctuation(first)) [kind, end] = ['punctuation', runFrom(start, isPunctuation)];
    else if (isUpper(first)) {
      kind = 'upper';
      end = runFrom(start, isUpper);
      const following = chars[end] ?? '';
      if (end === start + 1) end = runFrom(end, (char) => isAlphabet(char) && !isUpper(char));
      else if (following !== '' && isAlphabet(following)) end--;
    } else if (isAlphabet(first))
      [kind, end] = ['alphabet', runFrom(start, (char) => isAlphabet(char) && !isUpper(char))];
    else if (isNumber(first)) [kind, end] = ['number', runFrom(start, isNumber)];
    else
      [kind, end] = [
        'other',
        runFrom(start, (char) => !isConnector(char) && !isAlphabet(char) && !isNumber(char) && !isPunctuation(char)),
      ];
    words.push({ kind, text: chars.slice(start, end).join('') });
    start = end;
  }
  return words;
}

/** `HTTPServer20x` as `http_server_20x`: lower case, a connector between words, digits with their word. */
export function delimitedCase(text: string, connector: '_' | '-'): string {
  const words = wordsOf(text);
  let result = '';
  let index = 0;
  const joins = (word: Word | undefined): boolean =>
    word !== undefined && word.kind !== 'connector' && word.kind !== 'punctuation';
  const write = (word: Word): void => {
    result +=
      word.kind === 'connector'
        ? connector.repeat(Array.from(word.text).length)
        : Array.from(word.text, lowerChar).join('');
  };
  /** Alternating letters and digits, which form one word after a number. */
  const tail = (): void => {
    for (
      let word = words[index];
      word !== undefined && (word.kind === 'alphabet' || word.kind === 'number');
      word = words[index]
    ) {
      write(word);
      index++;
    }
    if (joins(words[index])) result += connector;
  };
  while (index < words.length) {
    const word = words[index++];
    if (word === undefined) break;
    write(word);
    const next = words[index];
    if (word.kind === 'number') tail();
    else if (word.kind !== 'connector' && word.kind !== 'punctuation' && next !== undefined) {
      if (next.kind !== 'number') {
        if (joins(next)) result += connector;
      } else if (words[index + 1] !== undefined) {
        index++;
        if (words[index]?.kind === 'alphabet') {
          result += connector;
          write(next);
          tail();
        } else {
          write(next);
          if (joins(words[index])) result += connector;
        }
      }
    }
  }
  return result;
}
