/**
 * What a schema of zod, valibot, arktype and others has in common, by the Standard Schema specification
 * (https://standardschema.dev), version 1. It must check at once, not in a promise.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** What the specification asks of a schema. */
  readonly '~standard': {
    /** The version of the specification. */
    readonly version: 1;
    /** The name of the schema's library. */
    readonly vendor: string;
    /** Checks a value, and gives it as the schema reads it, or what is wrong with it. */
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    /** For the compiler only: what goes in, and what comes out. */
    readonly types?:
      | {
          /** What goes in. */
          readonly input: Input;
          /** What comes out. */
          readonly output: Output;
        }
      | undefined;
  };
}

/** What a schema says of a value. */
export type SchemaResult<Output> =
  | {
      /** The value as the schema reads it. */
      readonly value: Output;
      /** Undefined: nothing is wrong with it. */
      readonly issues?: undefined;
    }
  | {
      /** What is wrong with it, at least one. */
      readonly issues: readonly SchemaIssue[];
    };

/** Something that is wrong with a value. */
interface SchemaIssue {
  /** What is wrong. */
  readonly message: string;
  /** Where it is wrong: member by member, from the outermost one. Absent or empty: the whole value is wrong. */
  readonly path?:
    | readonly (
        | PropertyKey
        | {
            /** The name of the member, or its index in a list. Some libraries give it in an object, others bare. */
            readonly key: PropertyKey;
          }
      )[]
    | undefined;
}
