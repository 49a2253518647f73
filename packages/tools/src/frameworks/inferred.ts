/** The type of a tool's `execute`. `never` if the tool's type has none. */
export type Execute<Given> = Given extends { execute?: infer Function } ? NonNullable<Function> : never

/** The type of a tool's arguments. If it is `any` or `unknown`, an object with any fields. */
export type Known<Type> = 0 extends 1 & Type
  ? Record<string, unknown>
  : unknown extends Type
    ? Record<string, unknown>
    : Type
