import type { Tool, ToolTypes } from './tool.js'

/** Any tool, whatever its types. */
export type AnyTool = Tool<ToolTypes>

type TypesOf<T> = T extends { readonly '~types'?: infer Types | undefined }
  ? Extract<Types, ToolTypes>
  : never

export type NameOf<T extends AnyTool> = TypesOf<T>['name']
/** What the model writes: the schema's input. */
export type ArgumentsOf<T extends AnyTool> = TypesOf<T>['input']
export type ResultOf<T extends AnyTool> = TypesOf<T>['result']

/** The context that all of these tools together ask for; `unknown` when none does. */
export type ContextOf<Tools extends readonly AnyTool[]> = Intersection<
  { [K in keyof Tools]: { asks: TypesOf<Tools[K]>['context'] } }[number]
>

type Intersection<U> = [U] extends [never]
  ? unknown
  : (U extends { asks: infer C } ? (context: C) => void : never) extends (context: infer I) => void
    ? I
    : unknown
