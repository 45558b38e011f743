import { describe, expect, it } from '@jest/globals';
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { compare } from 'bcryptjs';
import { compile } from '../compile.js';
import { TemplateError } from '../template-error.js';
import { sprigFunctions } from './index.js';
import type { SprigOptions } from './options.js';

/** 15 January 2026, 10:30 UTC. */
const now = Date.UTC(2026, 0, 15, 10, 30);

const counting = (): ((size: number) => Uint8Array) => {
  let next = 0;
  return (size) => Uint8Array.from({ length: size }, () => (next = (next * 29 + 17) % 256));
};

function render(text: string, data: unknown = {}, options: Partial<SprigOptions> = {}): string {
  return compile(text, {
    functions: sprigFunctions({ clock: { now: () => now }, random: counting(), ...options }),
  }).render(data);
}

function failure(text: string, data: unknown = {}): TemplateError {
  try {
    render(text, data);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error(`${text} does not fail`);
}

describe('time', () => {
  it('is that of the clock', () => {
    expect(render('{{ now }}|{{ now | date "2006-01-02" }}|{{ now | unixEpoch }}|{{ htmlDate nil }}')).toBe(
      '2026-01-15 10:30:00 +0000 UTC|2026-01-15|1768473000|2026-01-15',
    );
    expect(
      render('{{ ago (toDate "2006-01-02T15:04:05Z07:00" "2026-01-15T08:29:30Z") }}|{{ ago .hour }}', {
        hour: now / 1000 - 3600,
      }),
    ).toBe('2h0m30s|1h0m0s');
    expect(render('{{ durationRound (toDate "2006-01-02" "2025-01-01") }}')).toBe('1y');
    expect(render('{{ dateInZone "15:04 MST" now "Europe/Berlin" }}|{{ (dateModify "-24h" now).Day }}')).toBe(
      '11:30 CET|14',
    );
  });

  it('turns the hour in summer', () => {
    expect(
      render(
        '{{ dateInZone "15:04 -0700" (toDate "2006-01-02 15:04" "2026-03-29 00:59") "Europe/Berlin" }}|{{ dateInZone "15:04 -0700" (toDate "2006-01-02 15:04" "2026-03-29 01:00") "Europe/Berlin" }}',
      ),
    ).toBe('01:59 +0100|03:00 +0200');
  });
});

describe('randomness', () => {
  it('is that of its source', () => {
    const text = '{{ randAlphaNum 12 }} {{ randInt 1 1000 }} {{ uuidv4 }} {{ shuffle "abcdefgh" }} {{ randBytes 6 }}';
    expect(render(text)).toBe(render(text));
    expect(render(text)).not.toBe(render(text, {}, { random: (size) => new Uint8Array(size) }));
  });

  it('has the right form', () => {
    expect(render('{{ randAlphaNum 200 }}')).toMatch(/^[A-Za-z0-9]{200}$/u);
    expect(render('{{ randNumeric 200 }}')).toMatch(/^[0-9]{200}$/u);
    expect(render('{{ randAscii 200 }}')).toMatch(/^[ -~]{200}$/u);
    expect(render('{{ uuidv4 }}')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u);
    expect(Array.from(render('{{ shuffle "abcdefgh" }}')).sort().join('')).toBe('abcdefgh');
    for (let round = 0; round < 20; round++) expect(['3', '4']).toContain(render('{{ randInt 3 5 }}'));
  });
});

describe('secrets', () => {
  it('are encrypted so that they can be decrypted', () => {
    expect(render('{{ encryptAES "key" .text | decryptAES "key" }}', { text: 'tränen und 🔑' })).toBe('tränen und 🔑');
    expect(render('{{ encryptAES "key" "text" }}')).toBe(render('{{ encryptAES "key" "text" }}'));
    expect(failure('{{ decryptAES "key" "bm8=" }}').detail).toBe(
      'error calling decryptAES: the text is not an encrypted value',
    );
  });

  it('are hashed for a password file', async () => {
    const [user, hash = ''] = render('{{ htpasswd "user" "password" }}').split(':');
    expect(user).toBe('user');
    expect(await compare('password', hash)).toBe(true);
    expect(await compare('other', hash)).toBe(false);
    expect(failure('{{ bcrypt (repeat 73 "a") }}').code).toBe('execution');
  });

  it('are keys that can be read', () => {
    expect(createPrivateKey(render('{{ genPrivateKey "ecdsa" }}')).asymmetricKeyType).toBe('ec');
    expect(createPrivateKey(render('{{ genPrivateKey "ed25519" }}')).asymmetricKeyType).toBe('ed25519');
    for (const type of ['rsa', 'dsa', ''])
      expect(failure(`{{ genPrivateKey "${type}" }}`).detail).toContain('take seconds');
  });

  it('go into a certificate only if they are one', () => {
    const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const wrong = failure('{{ buildCustomCert (b64enc .key) (b64enc .key) }}', { key });
    expect(wrong.detail).toBe('error calling buildCustomCert: a certificate or its key cannot be read');
    const certificate = render('{{ (buildCustomCert (b64enc .certificate) (b64enc .key)).Cert }}', {
      key,
      certificate: testCertificate,
    });
    expect(new X509Certificate(certificate).subject).toBe('CN=test');
  });

  it('are in no message', () => {
    const data = { secret: 'hunter2' };
    for (const text of [
      '{{ fromJson .secret | len }}',
      '{{ mustFromJson .secret }}',
      '{{ semver .secret }}',
      '{{ semverCompare .secret "1" }}',
      '{{ semverCompare "1" .secret }}',
      '{{ mustToDate "2006" .secret }}',
      '{{ mustDateModify .secret now }}',
      '{{ mustRegexMatch (print .secret "[") "a" }}',
      '{{ regexFind (print "(" .secret) "a" }}',
      '{{ urlParse (print "http://" .secret ":pass word@x/") }}',
      '{{ urlParse (print "http://[" .secret) }}',
      '{{ urlJoin (dict "scheme" .) }}',
      '{{ decryptAES .secret .secret }}',
      '{{ buildCustomCert .secret .secret }}',
      '{{ dig .secret "a" "b" .secret }}',
      '{{ first .secret }}',
      '{{ concat .secret }}',
      '{{ slice .secret 1 }}',
      '{{ substr 5 3 .secret }}',
      '{{ set .secret "a" 1 }}',
      '{{ genPrivateKey .secret | .secret }}',
      '{{ ternary 1 2 .secret }}',
    ])
      expect(failure(text, data).message).not.toContain('hunter2');
  });
});

describe('what surrounds the process', () => {
  it('cannot be seen', () => {
    expect(render('[{{ env "PATH" }}][{{ expandenv "$HOME and ${HOME}" }}][{{ env "constructor" }}]')).toBe(
      '[][ and ][]',
    );
  });

  it('is what is given', () => {
    expect(render('{{ env "A" }} {{ expandenv "$A-${B}-$C" }}', {}, { environment: { A: '1', B: '2' } })).toBe(
      '1 1-2-',
    );
  });

  it('cannot be reached', () => {
    expect(failure('{{ getHostByName "example.com" }}')).toMatchObject({
      code: 'refused',
      detail: expect.stringContaining('getHostByName'),
    });
  });
});

describe('functions that are not offered', () => {
  it.each([
    'genCA',
    'genCAWithKey',
    'genSelfSignedCert',
    'genSelfSignedCertWithKey',
    'genSignedCert',
    'genSignedCertWithKey',
    'getHostByName',
  ])('%s is refused when the template is compiled', (name) => {
    expect(failure(`{{ if false }}{{ ${name} "a" 1 }}{{ end }}`)).toMatchObject({
      code: 'refused',
      detail: expect.stringContaining(name),
    });
  });
});

describe('maps', () => {
  it('of the data are not changed, however they are reached', () => {
    const data = { object: { metadata: { labels: { a: '1' } } } };
    expect(
      render(
        '{{ $_ := set .object.metadata.labels "b" "2" }}{{ toJson .object }}{{ $_ := unset .object "metadata" }}{{ .object }}',
        data,
      ),
    ).toBe('{"metadata":{"labels":{"a":"1","b":"2"}}}map[]');
    expect(render('{{ merge .object (dict "x" 1) }}', data)).toBe('map[metadata:map[labels:map[a:1]] x:1]');
    expect(data).toEqual({ object: { metadata: { labels: { a: '1' } } } });
  });

  it('have keys that are nothing but keys', () => {
    expect(
      render(
        '{{ $d := dict "__proto__" 1 "constructor" 2 }}{{ toJson $d }} {{ hasKey $d "toString" }} {{ get $d "valueOf" }}|{{ len (omit $d "constructor") }}',
      ),
    ).toBe('{"__proto__":1,"constructor":2} false |1');
    expect(render('{{ set . "__proto__" (dict "polluted" true) | toJson }}')).toBe('{"__proto__":{"polluted":true}}');
    expect(render('{{ merge (dict) (fromJson .text) | toJson }}', { text: '{"__proto__":{"polluted":true}}' })).toBe(
      '{"__proto__":{"polluted":true}}',
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('that contain themselves end the template, not the process', () => {
    for (const use of [
      '{{ $d }}',
      '{{ toJson $d }}',
      '{{ deepCopy $d }}',
      '{{ merge $d $d }}',
      '{{ printf "%#v" $d }}',
      '{{ deepEqual $d (dict "self" $d) }}{{ $e := dict }}{{ $_ := set $e "self" $e }}{{ deepEqual $d $e }}',
    ]) {
      expect(failure(`{{ $d := dict }}{{ $_ := set $d "self" $d }}${use}`).code).toBe('limit');
    }
  });
});

describe('work', () => {
  it.each([
    '{{ repeat 1000000000 "x" }}',
    '{{ until 1000000000 }}',
    '{{ untilStep 0 1000000000 1 }}',
    '{{ seq 1 1000000000 }}',
    '{{ indent 1000000000 "a" }}',
    '{{ randAlphaNum 1000000000 }}',
    '{{ randBytes 1000000000 }}',
    '{{ range 1000 }}{{ $x := bcrypt "a" }}{{ end }}',
    '{{ range 1000 }}{{ $x := derivePassword 1 "pin" "a" "b" "c" }}{{ end }}',
    '{{ $l := list 1 }}{{ range 60 }}{{ $l = list $l $l }}{{ end }}{{ toJson $l }}',
    '{{ replace "a" .text .text }}',
    '{{ regexReplaceAll "a" .text .text }}',
    '{{ wrapWith 1 .text .text }}',
    '{{ join .text (splitList "" .text) }}',
    '{{ range 100000 }}{{ $x := sha256sum $.text }}{{ end }}',
  ])('without end is ended: %s', (text) => {
    expect(failure(text, { text: 'a'.repeat(500_000) }).code).toBe('limit');
  });
});

const testCertificate = `-----BEGIN CERTIFICATE-----
MIIBNDCB56ADAgECAhQV57FMVPVhnh1jaOR6C/oTKMzNzjAFBgMrZXAwDzENMAsG
A1UEAwwEdGVzdDAgFw0yNjExMjIwODE2MzdaGA8yMTI2MTAyOTA4MTYzN1owDzEN
MAsGA1UEAwwEdGVzdDAqMAUGAytlcAMhAFszkf5u8vzj/hvc7yiL2Lg4/3CDAq1H
ceYsLbWS1vIro1MwUTAdBgNVHQ4EFgQUV3no1kC64xmR4uVqQpZpys2tZuMwHwYD
VR0jBBgwFoAUV3no1kC64xmR4uVqQpZpys2tZuMwDwYDVR0TAQH/BAUwAwEB/zAF
BgMrZXADQQAf9oecBhmuqB2HfCI0JLJrl1vRGVaNqV7r/7IzrQUjPzE/HYjSoNR2
tIuCEotsQKR3NSIb+mDcFepKog/CvaIG
-----END CERTIFICATE-----
`;
