import { CapstanError } from '@capstan/core'
import { type ArrowFunctionExpression, parse as parseScript } from 'acorn'
import { type AnyNode, childrenOf, opening, parserFrom, unusedName } from './labels/parse.js'

type Literal = string | number | boolean
type Literals = Readonly<Record<string, Literal>>

/**
 * Replaces literals in a program with the fields of an object that the program then declares. A template without `${}`
 * is a string, and a number with a minus sign is one literal. Keys, directives and tagged templates are not literals.
 * Returns a function that writes the program with given values.
 * @throws CapstanError `not_found` for a literal that the program does not contain; `invalid_request` if two parameters
 * replace the same literal; `unsupported` for a program that does not parse
 */
export function replaceLiterals(source: string, parameters: Literals): (values: unknown) => string {
  const names = namesByLiteral(parameters)
  if (names.size === 0) return () => source
  const { literals, object, begin } = readProgram(source)
  const missing = new Map(names)
  let written = ''
  let from = 0
  for (const { start, end, value } of literals) {
    const name = names.get(value)
    if (name === undefined) continue
    missing.delete(value)
    const before = source.slice(from, start)
    // Without the space, `return'a'` would become one name.
    written += `${before}${/[\p{ID_Continue}$]$/u.test(before) ? ' ' : ''}${object}[${JSON.stringify(name)}]`
    from = end
  }
  for (const [literal, name] of missing) throw missingError(literal, name)
  const rest = written + source.slice(from)
  const head = rest.slice(0, begin)
  // Within a line, so that line numbers stay the same.
  return (values) => `${head && `${head}; `}const ${object} = ${JSON.stringify(values)}; ${rest.slice(begin)}`
}

/** Returns the parameter that replaces each literal. */
function namesByLiteral(parameters: Literals): ReadonlyMap<Literal, string> {
  const names = new Map<Literal, string>()
  for (const [name, literal] of Object.entries(parameters)) {
    const other = names.get(literal)
    if (other !== undefined) {
      const message = `saveProgram: the parameters "${other}" and "${name}" replace the same literal ${shown(literal)}. Every equal literal is replaced, so use one parameter for it.`
      throw new CapstanError('invalid_request', message, { evidence: { literal } })
    }
    names.set(literal, name)
  }
  return names
}

function shown(literal: Literal): string {
  return typeof literal === 'number' ? String(literal) : JSON.stringify(literal)
}

function missingError(literal: Literal, name: string): CapstanError {
  const message = `saveProgram: the program does not contain the literal ${shown(literal)} (parameter "${name}"). Pass a value in the program, not a key or a part of a template.`
  return new CapstanError('not_found', message, { evidence: { literal } })
}

/** A literal in a program, with its position in the source. */
interface Found {
  readonly start: number
  readonly end: number
  readonly value: Literal
}

const parse = parserFrom(parseScript)

interface ReadProgram {
  /** In source order. */
  readonly literals: readonly Found[]
  /** A name for the object of parameters, which the program does not use. */
  readonly object: string
  /** The position after the program's directives. */
  readonly begin: number
}

function readProgram(source: string): ReadProgram {
  try {
    const program = parse(source)
    if (program)
      return {
        literals: literalsIn(program).sort((a, b) => a.start - b.start),
        object: unusedName(program, 'args'),
        begin: endOfDirectives(program),
      }
  } catch (error) {
    // A program that is nested too deeply.
    if (!(error instanceof RangeError)) throw error
  }
  throw new CapstanError(
    'unsupported',
    'saveProgram: the program does not parse, so its literals cannot be found. Save a program that succeeded.',
  )
}

function literalsIn(node: AnyNode, found: Found[] = []): Found[] {
  const value = literalOf(node)
  if (value !== undefined)
    found.push({ start: node.start - opening.length, end: node.end - opening.length, value })
  else for (const child of partsOf(node)) literalsIn(child, found)
  return found
}

function literalOf(node: AnyNode): Literal | undefined {
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? undefined
  if (node.type === 'UnaryExpression' && node.operator === '-') {
    const value = literalOf(node.argument)
    return node.argument.type === 'Literal' && typeof value === 'number' ? -value : undefined
  }
  if (node.type !== 'Literal') return undefined
  const { value } = node
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : undefined
}

/** Returns the children of a node in which literals can be. Omits keys, directives and the text of tagged templates. */
function partsOf(node: AnyNode): readonly AnyNode[] {
  if (node.type === 'ExpressionStatement' && node.directive !== undefined) return []
  if (node.type === 'TaggedTemplateExpression') return [node.tag, ...node.quasi.expressions]
  const hasKey =
    node.type === 'Property' || node.type === 'MethodDefinition' || node.type === 'PropertyDefinition'
  return childrenOf(node).filter((child) => !hasKey || node.computed || child !== node.key)
}

function endOfDirectives({ body }: ArrowFunctionExpression): number {
  const statements = body.type === 'BlockStatement' ? body.body : []
  const last = statements.findLast((one) => one.type === 'ExpressionStatement' && one.directive !== undefined)
  return last ? last.end - opening.length : 0
}
