/** Replaces a secret. */
export const redacted = '[redacted]';

/** Longer strings are cut before the search, to bound the cost of hostile ones. */
const longest = 4096;

/** Cheap test whether any rule could apply; nearly all strings end here. */
const suspicious =
  /eyJ|bearer|basic\s|-----BEGIN|LS0tLS1CRUdJT|sha256~|:\/\/[^/\s]*@|passw|passphrase|token|secret|api[-_]?key|access[-_]?key|key-?data|private|authorization|cookie|config/i;

const sensitiveWord = String.raw`(?:passw(?:or)?d|passphrase|token|secret|api[-_]?key|access[-_]?key|private[-_]?key|key-?data)`;
const value = String.raw`(?:"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"']+)`;
const quote = String.raw`\\*["']?`;

/** Detects a Secret or a kubeconfig, as JSON or YAML: the end of the data in it is unknown. */
const documents = [
  [/kind\\*["']?[ \t]*:\s*\\*["']?Secret/, /data\\*["']?[ \t]*:/i],
  [/kind\\*["']?[ \t]*:\s*\\*["']?Config/, /users\\*["']?[ \t]*:/],
] as const;

const rules: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g, redacted],
  // The same in base64, as in a kubeconfig or a Secret.
  [/LS0tLS1CRUdJT[A-Za-z0-9+/=_-]*/g, redacted],
  [/sha256~[\w-]+/g, redacted],
  [/(\b(?:authorization|cookie)\\*["']?[ \t]*[:=][ \t]*)[^\n]+/gi, `$1${redacted}`],
  [/(bearer\s+)[\w.~+/=-]{8,}/gi, `$1${redacted}`],
  [/\b(basic\s+)[A-Za-z0-9+/]{16,}=*/gi, `$1${redacted}`],
  [/(:\/\/)[^/\s]*@/g, `$1${redacted}@`],
  // `password=…` anywhere, `token: …` where a YAML or JSON key can stand. Keeps a plain "secret: not found" within a
  // sentence.
  [new RegExp(`(${sensitiveWord}=)${value}`, 'gi'), `$1${redacted}`],
  [
    new RegExp(
      String.raw`((?:^|[\n{,])[^\S\n]*(?:-[^\S\n]+)?${quote}[\w.-]*${sensitiveWord}${quote}[ \t]*:[ \t]*)\\*${value}`,
      'gi',
    ),
    `$1${redacted}`,
  ],
];

/**
 * Removes secrets of known shape: tokens (JWT, bearer, basic), private keys (PEM, base64 of PEM), user names and
 * passwords in URLs, `password=…` pairs, and whole Secrets and kubeconfigs as JSON or YAML. Cuts text beyond 4096
 * characters.
 */
export function redactText(text: string): string {
  let result = text.length > longest ? `${text.slice(0, longest)}…` : text;
  if (!suspicious.test(result)) return result;
  if (documents.some(([kind, content]) => kind.test(result) && content.test(result))) return redacted;
  result = result.replace(dotted, redactToken);
  for (const [pattern, replacement] of rules) result = result.replace(pattern, replacement);
  return result;
}

/**
 * A run of words with dots between. The look-behind keeps it linear: a run is scanned once, not from each of its
 * characters.
 */
const dotted = /(?<![\w-])[\w-]+\.[\w.-]*/g;

/** JWT and JWE, ServiceAccount tokens among them: from the base64 of `{"` to the end of the run, if a dot follows. */
function redactToken(run: string): string {
  const start = run.indexOf('eyJ');
  return start < 0 || !run.includes('.', start) ? run : `${run.slice(0, start)}${redacted}`;
}
