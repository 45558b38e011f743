/** The API group of all kinds here. */
export const apiGroup = 'kube-bind.io';
/** The version that every controller speaks; `v1alpha1` only stands in the CRDs. */
export const version = 'v1alpha2';
/** `apiVersion` of the objects. */
export const apiVersion = 'kube-bind.io/v1alpha2';
