/** The function of a tool, if its type has one. */
export type Execute<Given> = Given extends { execute?: infer Function } ? NonNullable<Function> : never

/** The type of arguments: an object with any fields, if the tool's type is unknown. */
export type Known<Type> = 0 extends 1 & Type
  ? Record<string, unknown>
  : unknown extends Type
    ? Record<string, unknown>
    : Type
