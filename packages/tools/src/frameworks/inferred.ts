/** The type of a tool's `execute`, or `never` if the tool has none. */
export type Execute<Given> = Given extends { execute?: infer Function } ? NonNullable<Function> : never

/** The type of a tool's arguments, or an object with any fields if the type is `any` or `unknown`. */
export type Known<Type> = 0 extends 1 & Type
  ? Record<string, unknown>
  : unknown extends Type
    ? Record<string, unknown>
    : Type
