import { ConfigError, type Flag } from '@hawser/config';

/** The flag that names a ServiceAccount, to read its roles. `whose`: in words. */
export function serviceAccountFlag(whose: string): Flag {
  return {
    name: 'service-account',
    kind: 'string',
    help: `NAMESPACE/NAME of ${whose}, whose roles are read; empty: the user of the kubeconfig`,
  };
}

/** @throws ConfigError unless it is a NAMESPACE/NAME */
export function readAccount(text: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = '', more] = text.split('/');
  if (namespace === '' || name === '' || more !== undefined)
    throw new ConfigError(`--service-account: must be NAMESPACE/NAME, not "${text}"`);
  return { namespace, name };
}
