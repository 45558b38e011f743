/** API group of the second generation of kube-bind (spec/kbind-v2.md §2). */
export const apiGroup = 'core.kbind.io';
/** Its only version. */
export const version = 'v1alpha1';
export const apiVersion = `${apiGroup}/${version}`;
