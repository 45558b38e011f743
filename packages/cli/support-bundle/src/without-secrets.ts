import { redactText } from '@hawser/telemetry';

/** Replaces a possible secret. */
export const REDACTED = '[redacted]';

/** Cuts longer lines: {@link redactText} reads this much. */
const LONGEST_LINE = 4_096;

/** In lines; a log may hold only the beginning of a block. */
const LONGEST_PEM = 200;

const sensitive = String.raw`(?:passw(?:or)?d|passphrase|pwd|api[-_ ]?key|access[-_ ]?key|secret[-_ ]?key|private[-_ ]?key|client[-_ ]?secret|credentials?)`;
const quoted = String.raw`(?:\\*"(?:[^"\\]|\\.)*"?|'[^']*'?|\S+)`;

/**
 * An API server quotes refused values, and those are content of the object: of a value in quotes up to its end, else up
 * to the end of the line. Comes first: {@link redactText} takes the word behind `spec.password:` for the secret.
 */
const refused = /((?:Invalid|Unsupported|Duplicate) value: )(?:"(?:[^"\\]|\\.)*"|.+)/gu;

/**
 * Goes beyond {@link redactText}, which reads texts of Hawser: these are words of API servers, webhooks and people.
 * Removes all that looks like a secret, even if now and then it is none.
 */
const rules: readonly (readonly [RegExp, string])[] = [
  [
    new RegExp(String.raw`(${sensitive}\\*["']?(?:\s*[:=]\s*|\s+(?:is|was)\s+|\s+(?=["'\\])))${quoted}`, 'giu'),
    `$1${REDACTED}`,
  ],
  // `the password hunter2 is weak`: a secret that is no dictionary word.
  [new RegExp(String.raw`(${sensitive}\s+)(?=\S*\d)[^\s"'\\]{6,}`, 'giu'), `$1${REDACTED}`],
  [/([?&][\w.-]+=)[^\s&"'#]{16,}/gu, `$1${REDACTED}`],
  // Keys of AWS, GitHub, GitLab, Slack, Google, Stripe, npm, HashiCorp.
  [
    /\b(?:A(?:KIA|SIA)[A-Z0-9]{12,}|gh[oprsu]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|AIza[\w-]{20,}|[rs]k_(?:live|test)_\w{10,}|npm_\w{20,}|hv[sb]\.[\w-]{16,})/gu,
    REDACTED,
  ],
];

/**
 * Base64, tokens, random passwords: runs with capitals, small letters and digits, or padding. Names, uids and
 * hexadecimal hashes have no capitals.
 */
const runs: readonly RegExp[] = [
  /(?<![\w+/=-])[\w+/]{7,}={1,2}(?![\w=])/gu,
  /(?<![\w+/=-])[\w+/-]{40,}={0,2}/gu,
  /(?<![\w+=-])[\w+-]{24,}={0,2}/gu,
];

function withoutRun(run: string): string {
  return /[A-Z]/u.test(run) && /[a-z]/u.test(run) && /[\d=]/u.test(run) ? REDACTED : run;
}

/**
 * Removes all that is, or looks like, a secret from foreign text. Works line by line, whatever the length. Keeps of a
 * PEM block only that it existed. Cannot find a secret that looks like a word.
 */
export function withoutSecrets(text: string): string {
  const lines: string[] = [];
  let inPem = 0;
  for (const line of text.split('\n')) {
    if (inPem > 0 || line.includes('-----BEGIN ')) {
      if (inPem === 0) lines.push(REDACTED);
      const ends = /-----END [^-]*-----/u.test(line) || inPem > LONGEST_PEM;
      inPem = ends ? 0 : inPem + 1;
      continue;
    }
    lines.push(withoutSecretsInLine(line));
  }
  return lines.join('\n');
}

function withoutSecretsInLine(line: string): string {
  const cut = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
  let result = redactText(cut.replace(refused, `$1${REDACTED}`));
  for (const [pattern, replacement] of rules) result = result.replace(pattern, replacement);
  for (const run of runs) result = result.replace(run, withoutRun);
  return result;
}

/** Shortest secret to search for: a shorter one occurs everywhere. */
const SHORTEST = 6;

/** Removes known secrets by their exact text, such as the token used to read the clusters. */
export function createScrub(known: Iterable<string>): (text: string) => string {
  const forms = new Set<string>();
  for (const secret of known) {
    if (secret.length < SHORTEST) continue;
    forms.add(secret);
    // In the forms of JSON and of a Secret.
    forms.add(JSON.stringify(secret).slice(1, -1));
    forms.add(Buffer.from(secret).toString('base64'));
  }
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((result, secret) => result.replaceAll(secret, REDACTED), text);
}
