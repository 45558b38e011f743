import type { apiVersion } from './group.js';
import type { APIServiceExportRequestSpec } from './kinds/api-service-export-request.js';

// Documents that travel over HTTP or in a Secret, not as API objects (spec/kube-bind-api.md §6.12–6.14).

/** What a provider says about itself. */
export interface BindingProvider {
  readonly apiVersion: typeof apiVersion;
  readonly kind: 'BindingProvider';
  readonly providerPrettyName: string;
  readonly version: string;
  /** In order of preference. */
  readonly authenticationMethods: readonly {
    readonly method: 'OAuth2CodeGrant';
    readonly oauth2CodeGrant?: { readonly authenticatedURL: string } | undefined;
  }[];
}

/** An APIServiceExportRequest with nothing but a name for metadata. */
export interface ExportRequestDocument {
  readonly apiVersion: string;
  readonly kind: 'APIServiceExportRequest';
  readonly metadata: { readonly name: string };
  readonly spec: APIServiceExportRequestSpec;
}

/** The answer to a binding. Read it by structure: both kinds are in use. */
export interface BindingResourceResponse {
  readonly apiVersion: typeof apiVersion;
  readonly kind: 'BindingResponse' | 'BindingResourceResponse';
  readonly authentication: {
    readonly oauth2CodeGrant?: { readonly sid: string; readonly id: string } | undefined;
  };
  /** The provider kubeconfig, base64. Never log it. */
  readonly kubeconfig: string;
  readonly requests: readonly ExportRequestDocument[];
  readonly providerNamespace?: string | undefined;
  readonly bindingName?: string | undefined;
}

export type HttpErrorCode =
  | 'AUTHENTICATION_FAILED'
  | 'AUTHORIZATION_FAILED'
  | 'RESOURCE_NOT_FOUND'
  | 'INTERNAL_ERROR'
  | 'BAD_REQUEST'
  | 'CLUSTER_CONNECTION_FAILED';

/** A failure, as the provider's HTTP API reports it. */
export interface HttpErrorPayload {
  readonly apiVersion: typeof apiVersion;
  readonly kind: 'Error';
  readonly message: string;
  readonly code: HttpErrorCode;
  readonly details?: string | undefined;
}
