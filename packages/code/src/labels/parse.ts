// Parses a program's source, in the same way for the host and for the engine's thread.

import type { AnyNode, ArrowFunctionExpression, parse as ParseScript, Program as Tree } from 'acorn'

export type { AnyNode } from 'acorn'

/** Parses the body of an async function. Undefined for a syntax error, because the engine reports those itself. */
export type Parse = (source: string) => ArrowFunctionExpression | undefined

/** The text before a program. Node positions include the length of this text. */
export const opening = '(async()=>{'

/** Loads the parser. Later calls return the same promise. */
export function loadParser(): Promise<Parse> {
  loaded ??= import('acorn').then(({ parse }) => parserFrom(parse))
  return loaded
}

let loaded: Promise<Parse> | undefined

/** Creates the parser from acorn's `parse`, for code that cannot wait for it. */
export function parserFrom(parse: typeof ParseScript): Parse {
  return (source) => {
    let tree: Tree
    try {
      tree = parse(`${opening}${source}\n})`, { ecmaVersion: 'latest', sourceType: 'script' })
    } catch {
      return undefined
    }
    const [only, more] = tree.body
    const isWhole = only?.type === 'ExpressionStatement' && only.expression.type === 'ArrowFunctionExpression'
    // A source that closes the function early is not a program.
    return !more && isWhole ? (only.expression as ArrowFunctionExpression) : undefined
  }
}

/** Returns the direct children of a node. */
export function childrenOf(node: AnyNode): readonly AnyNode[] {
  const children: AnyNode[] = []
  for (const value of Object.values(node))
    for (const one of Array.isArray(value) ? value : [value]) if (isNode(one)) children.push(one)
  return children
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as AnyNode).type === 'string'
}

/** Visits a node and all its descendants, in source order. */
export function everyNode(node: AnyNode, visit: (node: AnyNode) => void): void {
  visit(node)
  for (const child of childrenOf(node)) everyNode(child, visit)
}

/** Returns a name that no identifier of a program has, not even one that is written with escapes (`\u0024c`). */
export function unusedName(program: AnyNode, first: string): string {
  const used = new Set<string>()
  everyNode(program, (node) => void (node.type === 'Identifier' && used.add(node.name)))
  let name = first
  while (used.has(name)) name += '$'
  return name
}
