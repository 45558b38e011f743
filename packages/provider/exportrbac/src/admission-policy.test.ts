import { klutchDialect } from '@hawser/klutch';
import { kubeBindDialect } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import * as admission from './admission-policy.js';
import type { AdmissionPolicy, AdmissionPolicyBinding, PolicyState } from './admission-policy.js';

const consumerPolicy = admission.consumerPolicy(kubeBindDialect);
const consumerPolicyBinding = admission.consumerPolicyBinding(kubeBindDialect);
const policyState = (one: AdmissionPolicy | undefined, other: AdmissionPolicyBinding | undefined): PolicyState =>
  admission.policyState(kubeBindDialect, one, other);
type PolicySpec = NonNullable<AdmissionPolicy['spec']>;
const policy = (fields: Partial<PolicySpec>): AdmissionPolicy => ({
  ...consumerPolicy,
  spec: { ...consumerPolicy.spec, ...fields },
});
const bound = (fields: Partial<NonNullable<AdmissionPolicyBinding['spec']>>): AdmissionPolicyBinding => ({
  ...consumerPolicyBinding,
  spec: { ...consumerPolicyBinding.spec, ...fields },
});

describe('policyState', () => {
  it('is in force as it is made, with what the API server adds, and with more', () => {
    const validations = [...(consumerPolicy.spec?.validations ?? []), { expression: 'true' }];
    const rules = consumerPolicy.spec?.matchConstraints?.resourceRules?.map((rule) => ({ ...rule, scope: '*' }));
    expect(policyState(consumerPolicy, consumerPolicyBinding)).toEqual({ kind: 'enforced' });
    expect(
      policyState(
        policy({ validations, matchConstraints: { resourceRules: rules, namespaceSelector: {}, objectSelector: {} } }),
        consumerPolicyBinding,
      ),
    ).toEqual({ kind: 'enforced' });
  });

  it.each<[string, AdmissionPolicy | undefined, AdmissionPolicyBinding | undefined]>([
    ['there is none', undefined, consumerPolicyBinding],
    ['it is not bound', consumerPolicy, undefined],
    ['it only warns', consumerPolicy, bound({ validationActions: ['Warn', 'Audit'] })],
    [
      'its binding leaves namespaces out',
      consumerPolicy,
      bound({ matchResources: { namespaceSelector: { matchLabels: { a: 'b' } } } }),
    ],
    ['failures let requests through', policy({ failurePolicy: 'Ignore' }), consumerPolicyBinding],
    [
      'it looks at some resources only',
      policy({
        matchConstraints: {
          resourceRules: [{ apiGroups: ['example.com'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
        },
      }),
      consumerPolicyBinding,
    ],
    [
      'it leaves resources out',
      policy({
        matchConstraints: {
          ...consumerPolicy.spec?.matchConstraints,
          excludeResourceRules: [{ apiGroups: ['example.com'] }],
        },
      }),
      consumerPolicyBinding,
    ],
    [
      'it lets some consumers pass',
      policy({
        matchConditions: [...(consumerPolicy.spec?.matchConditions ?? []), { name: 'not-a', expression: 'false' }],
      }),
      consumerPolicyBinding,
    ],
    ['a variable says something else', policy({ variables: [] }), consumerPolicyBinding],
    [
      'a validation is missing',
      policy({ validations: consumerPolicy.spec?.validations?.slice(1) }),
      consumerPolicyBinding,
    ],
    ['it has parameters', policy({ paramKind: { kind: 'ConfigMap' } }), consumerPolicyBinding],
  ])('is not in force where %s', (_, one, other) => {
    expect(policyState(one, other)).toMatchObject({ kind: 'absent' });
  });

  it('is in force for each dialect by itself', () => {
    const own = [admission.consumerPolicy(klutchDialect), admission.consumerPolicyBinding(klutchDialect)] as const;
    expect(admission.policyState(klutchDialect, ...own)).toEqual({ kind: 'enforced' });
    expect(admission.policyState(klutchDialect, consumerPolicy, consumerPolicyBinding)).toMatchObject({
      kind: 'absent',
    });
  });
});
