import { labels } from '@hawser/kube-bind';
import { type AdmissionPolicy, type AdmissionPolicyBinding, statusReason } from './admission-policy.js';

/** Name of the policy, and of its binding, for exported CRDs. */
export const schemaGuardName = 'hawser-exported-crds';

/**
 * Annotation on an exported CRD: its current `metadata.generation`. Permits exactly one next change of the schema, or
 * removal of the CRD or its label: the change makes another generation.
 */
export const allowSchemaChangeAnnotation = 'hawser.dev/allow-schema-change';

/** Verb on `customresourcedefinitions` needed to write {@link allowSchemaChangeAnnotation}. */
export const approveSchemaVerb = 'approve-schema';

const annotationOf = (object: string): string =>
  `has(${object}.metadata.annotations) && '${allowSchemaChangeAnnotation}' in ${object}.metadata.annotations ? ${object}.metadata.annotations['${allowSchemaChangeAnnotation}'] : ''`;
const remedy = `'; see what it breaks ("hawser diff crd"), and if it is meant: kubectl annotate --overwrite crd ' + oldObject.metadata.name + ' ${allowSchemaChangeAnnotation}=' + string(oldObject.metadata.generation)`;

/**
 * Holds a change of an exported CRD at its source: an API server enforces a CRD at once, even if consumers' copies are
 * held. An expression cannot tell safe changes, so every change of `spec` needs approval.
 */
export const schemaGuard: AdmissionPolicy = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: schemaGuardName },
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: ['apiextensions.k8s.io'],
          apiVersions: ['*'],
          operations: ['UPDATE', 'DELETE'],
          resources: ['customresourcedefinitions'],
        },
      ],
    },
    matchConditions: [
      {
        name: 'exported',
        expression: `has(oldObject.metadata.labels) && '${labels.exported}' in oldObject.metadata.labels && oldObject.metadata.labels['${labels.exported}'] == 'true'`,
      },
    ],
    variables: [
      { name: 'before', expression: annotationOf('oldObject') },
      { name: 'after', expression: `object == null ? variables.before : (${annotationOf('object')})` },
      {
        name: 'allowed',
        expression:
          'variables.before == string(oldObject.metadata.generation) || variables.after == string(oldObject.metadata.generation)',
      },
    ],
    validations: [
      {
        expression: 'variables.allowed || object == null || object.spec == oldObject.spec',
        messageExpression: `'the CRD is exported, and the change of its spec would count for all consumers at once' + ${remedy}`,
        reason: statusReason,
      },
      {
        expression: `variables.allowed || object == null || (has(object.metadata.labels) && '${labels.exported}' in object.metadata.labels && object.metadata.labels['${labels.exported}'] == 'true')`,
        messageExpression: `'without the label ${labels.exported}=true the CRD is offered to no consumer, and nothing guards it any more' + ${remedy}`,
        reason: statusReason,
      },
      {
        expression: 'variables.allowed || object != null',
        messageExpression: `'the CRD is exported, and all objects of all consumers would be deleted with it' + ${remedy}`,
        reason: statusReason,
      },
      {
        expression: `variables.after == variables.before || variables.after == '' || authorizer.group('apiextensions.k8s.io').resource('customresourcedefinitions').name(oldObject.metadata.name).check('${approveSchemaVerb}').allowed()`,
        message: `the annotation ${allowSchemaChangeAnnotation} is written by who has the verb ${approveSchemaVerb} on customresourcedefinitions`,
        reason: statusReason,
      },
    ],
  },
};

export const schemaGuardBinding: AdmissionPolicyBinding = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: schemaGuardName },
  spec: { policyName: schemaGuardName, validationActions: ['Deny'] },
};
