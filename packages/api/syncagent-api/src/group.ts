export const apiGroup = 'syncagent.kcp.io';
export const version = 'v1alpha1';
export const apiVersion = `${apiGroup}/${version}` as const;
