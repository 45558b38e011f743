import { describe, expect, it } from '@jest/globals';
import { bindingAnswer, decodedAnswer, documentOf, exportRequest } from './answer.js';

const apiVersion = 'kube-bind.io/v1alpha2';
const spec = { resources: [{ group: 'example.com', resource: 'databases', versions: ['v1'] }] };
const request = { apiVersion, kind: 'APIServiceExportRequest', metadata: { name: 'databases' }, spec, status: {} };
const answer = (over: object = {}): object => ({
  apiVersion,
  kind: 'BindingResponse',
  authentication: { oauth2CodeGrant: { sid: 's', id: 'i' } },
  kubeconfig: Buffer.from('the kubeconfig').toString('base64'),
  requests: [request],
  ...over,
});

describe('the answer of a provider', () => {
  it.each(['BindingResponse', 'BindingResourceResponse'])('is taken as a %s', (kind) => {
    expect(bindingAnswer(answer({ kind }))).toEqual({
      kubeconfig: 'the kubeconfig',
      requests: [{ name: 'databases', spec }],
    });
  });

  it('may ask for nothing, and may have its name beside the request', () => {
    expect(bindingAnswer(answer({ requests: null }))).toMatchObject({ requests: [] });
    const unnamed = { ...request, metadata: {} };
    expect(bindingAnswer(answer({ requests: [unnamed], bindingName: 'mine' }))).toMatchObject({
      requests: [{ name: 'mine' }],
    });
  });

  it.each([
    ['nothing', undefined, 'it is not a BindingResponse'],
    [
      'an error',
      { kind: 'Error', apiVersion, message: 'no' },
      'it is not a BindingResponse of kube-bind.io/v1alpha2 (kind)',
    ],
    ['another version', answer({ apiVersion: 'kube-bind.io/v1' }), '(apiVersion)'],
    ['no kubeconfig', answer({ kubeconfig: '' }), '(kubeconfig)'],
    [
      'a request of another kind',
      answer({ requests: [{ ...request, kind: 'Secret' }] }),
      'not an APIServiceExportRequest',
    ],
    ['a request without a spec', answer({ requests: [{ ...request, spec: undefined }] }), 'is malformed: spec'],
    ['a request for nothing', answer({ requests: [{ ...request, spec: { resources: [] } }] }), 'is malformed: spec'],
    [
      'a claim without a selector',
      answer({ requests: [{ ...request, spec: { ...spec, permissionClaims: [{ resource: 'secrets' }] } }] }),
      'is malformed: spec.permissionClaims[0]',
    ],
    ['a request without a name', answer({ requests: [{ ...request, metadata: {} }] }), 'has no name'],
    ['two requests of one name', answer({ requests: [request, request] }), 'have the same name'],
  ])('is refused as %s', (_, value, words) => {
    expect(bindingAnswer(value)).toEqual(expect.stringContaining(words));
  });

  it('is read from an address in both alphabets of base64, and with blanks for its plus signs', () => {
    // Whatever comes before it, one of these needs `+` or `/`.
    const values = ['~~~???', '>>>???', 'ü¿ÿ'].map((text) => ({ text }));
    for (const value of values) {
      const plain = Buffer.from(JSON.stringify(value)).toString('base64');
      const url = Buffer.from(JSON.stringify(value)).toString('base64url');
      for (const text of [plain, url, plain.replaceAll('+', ' ')]) expect(decodedAnswer(text)).toEqual(value);
    }
    expect(decodedAnswer('%%%')).toBeUndefined();
  });

  it('is read from a file with one document, and from no bomb', () => {
    expect(exportRequest(documentOf(JSON.stringify(request)), undefined)).toEqual({ name: 'databases', spec });
    expect(exportRequest(documentOf('a: 1\n---\nb: 2'), 'x')).toEqual(expect.stringContaining('as a whole'));
    const bomb = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]'];
    for (let at = 1; at < 12; at++)
      bomb.push(
        `a${at}: &a${at} [${Array(10)
          .fill(`*a${at - 1}`)
          .join(',')}]`,
      );
    expect(exportRequest(documentOf(bomb.join('\n')), 'x')).toEqual(expect.stringContaining('as a whole'));
  });
});
