import type { FieldError } from '../field-error.js';
import { forbidden, invalid, notSupported, required } from '../field-errors.js';
import { childPath, indexPath } from '../field-path.js';
import { dns1035LabelErrors, dns1123SubdomainErrors } from '../names.js';
import type { CrdConversion, CrdWebhookClient } from './custom-resource-definition.js';
import { isRequestUri } from '../formats/uri.js';

const STRATEGIES = ['None', 'Webhook'];
/** Versions of `ConversionReview` that the API server speaks. */
const REVIEW_VERSIONS = ['v1', 'v1beta1'];

export interface ConversionOptions {
  readonly requireRecognizedReviewVersion: boolean;
  readonly allowInvalidCaBundle: boolean;
}

/** Problems of a CRD's conversion between versions. */
export function conversionErrors(
  conversion: CrdConversion | undefined,
  path: string,
  options: ConversionOptions,
): FieldError[] {
  if (conversion === undefined) return [];
  const strategy = conversion.strategy ?? '';
  const client = conversion.webhook?.clientConfig;
  const reviewVersions = conversion.webhook?.conversionReviewVersions ?? [];
  const errors: FieldError[] = [];
  if (strategy === '') errors.push(required(childPath(path, 'strategy')));
  else if (!STRATEGIES.includes(strategy)) errors.push(notSupported(childPath(path, 'strategy'), strategy, STRATEGIES));
  if (strategy === 'Webhook') {
    errors.push(...clientErrors(client, childPath(path, 'webhookClientConfig'), options));
    errors.push(...reviewVersionErrors(reviewVersions, childPath(path, 'conversionReviewVersions'), options));
    return errors;
  }
  const detail = 'should not be set when strategy is not set to Webhook';
  if (client !== undefined) errors.push(forbidden(childPath(path, 'webhookClientConfig'), detail));
  if (reviewVersions.length > 0) errors.push(forbidden(childPath(path, 'conversionReviewVersions'), detail));
  return errors;
}

function clientErrors(client: CrdWebhookClient | undefined, path: string, options: ConversionOptions): FieldError[] {
  if (client === undefined) return [required(path, 'required when strategy is set to Webhook')];
  const errors: FieldError[] = [];
  if ((client.url === undefined) === (client.service === undefined))
    errors.push(required(path, 'exactly one of url or service is required'));
  else if (client.url !== undefined) errors.push(...urlErrors(client.url, childPath(path, 'url')));
  else if (client.service !== undefined) errors.push(...serviceErrors(client.service, childPath(path, 'service')));
  const bundle = client.caBundle ?? '';
  if (bundle !== '' && !options.allowInvalidCaBundle && !isCaBundle(bundle)) {
    errors.push(
      invalid(
        childPath(path, 'caBundle'),
        bundle,
        'unable to load root certificates: unable to parse bytes as PEM block',
      ),
    );
  }
  return errors;
}

/** Whether a bundle contains a certificate, judged by its armour. */
export const isCaBundle = (base64: string): boolean =>
  Buffer.from(base64, 'base64').toString('latin1').includes('-----BEGIN CERTIFICATE-----');

function urlErrors(url: string, path: string): FieldError[] {
  const form = '; desired format: https://host[/path]';
  const [, scheme = '', rest = ''] = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?([^]*)$/.exec(url) ?? [];
  const [beforeFragment = '', ...fragments] = rest.split('#');
  const fragment = fragments.join('#');
  const [beforeQuery = '', ...queries] = beforeFragment.split('?');
  const query = queries.join('?');
  if (scheme !== '' && !isRequestUri(`${scheme}:${beforeFragment}`))
    return [required(path, `url must be a valid URL: parse ${JSON.stringify(url)}: invalid URL${form}`)];
  const authority = beforeQuery.startsWith('//') ? (beforeQuery.slice(2).split('/')[0] ?? '') : '';
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  const errors: FieldError[] = [];
  if (scheme.toLowerCase() !== 'https')
    errors.push(invalid(path, scheme.toLowerCase(), `'https' is the only allowed URL scheme${form}`));
  if (host === '') errors.push(invalid(path, '', `host must be specified${form}`));
  if (at >= 0) errors.push(invalid(path, authority.slice(0, at), 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(invalid(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalid(path, query, 'query parameters are not permitted in the URL'));
  return errors;
}

function serviceErrors(service: NonNullable<CrdWebhookClient['service']>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  // The API server confuses the two here.
  if ((service.namespace ?? '') === '') errors.push(required(childPath(path, 'name')));
  if ((service.name ?? '') === '') errors.push(required(childPath(path, 'namespace')));
  const port = service.port ?? 443;
  if (port < 1 || port > 65535)
    errors.push(invalid(childPath(path, 'port'), port, 'port is not valid: must be between 1 and 65535, inclusive'));
  return [...errors, ...servicePathErrors(service.path ?? '', childPath(path, 'path'))];
}

function servicePathErrors(servicePath: string, path: string): FieldError[] {
  if (servicePath === '' || servicePath === '/') return [];
  if (servicePath === '//') return [invalid(path, servicePath, 'segment[0] may not be empty')];
  const errors = servicePath.startsWith('/') ? [] : [invalid(path, servicePath, "must start with a '/'")];
  const steps = servicePath.slice(1).replace(/\/$/, '').split('/');
  for (const [index, step] of steps.entries()) {
    if (step === '') errors.push(invalid(path, servicePath, `segment[${index}] may not be empty`));
    else
      errors.push(
        ...dns1123SubdomainErrors(step).map((detail) => invalid(path, servicePath, `segment[${index}]: ${detail}`)),
      );
  }
  return errors;
}

function reviewVersionErrors(versions: readonly string[], path: string, options: ConversionOptions): FieldError[] {
  if (versions.length === 0) return [required(path)];
  const errors = versions.flatMap((version, index) => {
    const details = versions.indexOf(version) < index ? ['duplicate version'] : dns1035LabelErrors(version);
    return details.map((detail) => invalid(indexPath(path, index), version, detail));
  });
  if (options.requireRecognizedReviewVersion && !hasRecognizedReviewVersion(versions))
    errors.push(invalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`));
  return errors;
}

export const hasRecognizedReviewVersion = (versions: readonly string[]): boolean =>
  versions.some((version) => REVIEW_VERSIONS.includes(version));
