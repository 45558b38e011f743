import type { Rule } from '../../../servicenamespace/src/testing/provider-cluster.js';

/** The table in the README. */
export const rights: readonly Rule[] = [
  { apiGroups: ['kube-bind.io'], resources: ['apiserviceexportrequests'], verbs: ['get', 'list', 'watch'] },
  {
    apiGroups: ['kube-bind.io'],
    resources: ['apiserviceexportrequests/status', 'apiserviceexports/status'],
    verbs: ['patch'],
  },
  {
    apiGroups: ['kube-bind.io'],
    resources: ['apiserviceexports', 'boundschemas', 'apiservicenamespaces'],
    verbs: ['get', 'list', 'watch', 'create', 'patch'],
  },
  { apiGroups: ['kube-bind.io'], resources: ['apiserviceexporttemplates'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get', 'list', 'watch'] },
];

/** Further rights for `admission: 'Template'`. */
export const admissionRights: readonly Rule[] = [
  { apiGroups: ['kube-bind.io'], resources: ['collections', 'clusterbindings'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
];

/** Further rights of the controller of templates. */
export const templateRights: readonly Rule[] = [
  { apiGroups: ['kube-bind.io'], resources: ['collections'], verbs: ['get', 'list', 'watch'] },
  {
    apiGroups: ['kube-bind.io'],
    resources: ['apiserviceexporttemplates/status', 'collections/status'],
    verbs: ['patch'],
  },
];

/** Rights of the controller of Klutch's exports. */
export const inlineRights: readonly Rule[] = [
  {
    apiGroups: ['klutch.anynines.com'],
    resources: ['apiserviceexportrequests', 'clusterbindings'],
    verbs: ['get', 'list', 'watch'],
  },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  {
    apiGroups: ['klutch.anynines.com'],
    resources: ['apiserviceexports'],
    verbs: ['get', 'list', 'watch', 'create', 'patch'],
  },
  {
    apiGroups: ['klutch.anynines.com'],
    resources: ['apiserviceexportrequests/status', 'apiserviceexports/status'],
    verbs: ['patch'],
  },
  {
    apiGroups: ['example-backend.klutch.anynines.com'],
    resources: ['apiserviceexporttemplates'],
    verbs: ['get', 'list', 'watch'],
  },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get', 'list', 'watch'] },
];
