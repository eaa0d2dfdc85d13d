import { StateError } from '../../errors.js';

/**
 * What a schema of zod, valibot, arktype and others has in common, by the Standard Schema specification
 * (https://standardschema.dev), version 1. It must check at once, not in a promise.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Gives the value as the schema reads it. Throws TypeError where it does not fit, without the value itself. */
export function checkBySchema<Output>(schema: StandardSchema<unknown, Output>, value: unknown): Output {
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise) throw new TypeError('schema must check at once, not in a promise');
  if (result.issues === undefined) return result.value;
  const [issue] = result.issues;
  const path = issue?.path?.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  throw new TypeError(`the value does not fit its schema${path ? ` at "${path}"` : ''}: ${issue?.message}`);
}

/** A stored value that does not fit is nobody's wrong call. */
export function invalidValue({ message }: Error): StateError {
  return new StateError('invalid_value', `A stored entry cannot be read: ${message}.`);
}
