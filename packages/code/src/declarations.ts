import type { ToolDefinition } from '@capstan/core'
import { isRecord, listOf } from '@capstan/core/internal'

/** A tool to declare, and the schema of its results. */
export interface Declared {
  readonly definition: ToolDefinition
  /** The JSON Schema of the tool's results. Undefined if the tool declares none. */
  readonly output: Schema | undefined
}

export type Schema = Readonly<Record<string, unknown>>

/** Returns TypeScript declarations of tools, such as `name(args: { city: string }): Promise<number>`. */
export function declarationsOf(tools: readonly Declared[]): string {
  return tools.map(writtenOnce).join('\n')
}

/** Declarations by tool definition. Cached, so that every request contains the same text. */
const written = new WeakMap<ToolDefinition, string>()

function writtenOnce(tool: Declared): string {
  const text = written.get(tool.definition) ?? declarationOf(tool)
  written.set(tool.definition, text)
  return text
}

function declarationOf({ definition, output }: Declared): string {
  const { name, description = '', parameters } = definition.function
  const args = new TypeWriter(parameters ?? {}).write(parameters, '  ')
  const { properties, required, additionalProperties: others }: Schema = parameters ?? {}
  const hasNames = Object.keys(Object(properties)).length > 0
  const isOpen = others !== undefined && others !== false
  const hasArgs = hasNames || isOpen || !/^(\{\}|Record<string, unknown>|unknown)$/.test(args)
  const isOptional = (hasNames || isOpen) && listOf(required).length === 0
  const result = output ? new TypeWriter(output).write(output, '  ') : 'unknown'
  const taken = hasArgs ? `args${isOptional ? '?' : ''}: ${args}` : ''
  return `${commentOf(description)}${keyOf(name)}(${taken}): Promise<${result}>`
}

/** Returns a line for each tool: its name and the first sentence of its description. */
export function linesOf(tools: readonly Declared[]): string {
  return tools
    .map(({ definition: { function: one } }) => `${one.name}: ${firstSentence(one.description ?? '')}`)
    .join('\n')
}

function firstSentence(text: string): string {
  const line = plain(text)
  const end = line.search(/[.!?](\s|$)/)
  return (end < 0 ? line : line.slice(0, end + 1)).slice(0, 120)
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function commentOf(description: string, most = 1000): string {
  const text = plain(description).slice(0, most).replaceAll('*/', '* /')
  return text === '' ? '' : `/** ${text} */\n`
}

function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
}

/** The maximum indentation in spaces. Types that would be nested more deeply become `unknown`. */
const deepest = 20

/** Writes a JSON Schema as a TypeScript type. Parts of large or recursive schemas become `unknown`. */
class TypeWriter {
  readonly #root: Schema
  readonly #open = new Set<unknown>()
  #left = 300

  constructor(root: Schema) {
    this.#root = root
  }

  write(schema: unknown, indent: string): string {
    if (schema === false) return 'never'
    const isDeep = indent.length > deepest || this.#open.has(schema)
    if (!isRecord(schema) || isDeep || this.#left-- <= 0) return 'unknown'
    this.#open.add(schema)
    try {
      return this.#typeOf(schema, indent)
    } finally {
      this.#open.delete(schema)
    }
  }

  #typeOf(schema: Schema, indent: string): string {
    const { $ref, const: fixed, enum: values, anyOf, oneOf, allOf, type } = schema
    if (typeof $ref === 'string') return this.write(this.#behind($ref), indent)
    if (fixed !== undefined) return JSON.stringify(fixed)
    if (Array.isArray(values)) return values.map((one) => JSON.stringify(one)).join(' | ')
    const choices = [anyOf, oneOf].find(Array.isArray)
    const hasNames = Object.keys(Object(schema.properties)).length > 0
    if (choices && !hasNames) return this.#joined(choices, ' | ', indent)
    if (Array.isArray(allOf) && !hasNames) return this.#joined(allOf, ' & ', indent)
    const implied = schema.properties ? 'object' : schema.items ? 'array' : undefined
    const types = [type ?? implied].flat().map((one) => this.#named(one, schema, indent))
    return [...new Set(types)].join(' | ')
  }

  #named(type: unknown, schema: Schema, indent: string): string {
    if (type === 'integer') return 'number'
    if (type === 'string' || type === 'number' || type === 'boolean' || type === 'null') return type
    if (type === 'object') return this.#object(schema, indent)
    if (type !== 'array') return 'unknown'
    const { items, prefixItems } = schema
    const tuple = [prefixItems, items].find(Array.isArray)
    if (tuple) return `[${tuple.map((one) => this.write(one, indent)).join(', ')}]`
    const item = this.write(items, indent)
    return /[ |&]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
  }

  #joined(parts: readonly unknown[], by: string, indent: string): string {
    return [...new Set(parts.map((one) => this.write(one, indent)))].join(by) || 'unknown'
  }

  #object({ properties, required, additionalProperties: others }: Schema, indent: string): string {
    if (!isRecord(properties) || Object.keys(properties).length === 0)
      return others === false
        ? '{}'
        : `Record<string, ${isRecord(others) ? this.write(others, indent) : 'unknown'}>`
    const needed = listOf(required)
    const inner = `${indent}  `
    const fields = Object.entries(properties).map(([name, schema]) => {
      const { description = '' } = Object(schema) as { readonly description?: unknown }
      const comment = commentOf(String(description), 200).replace('\n', ' ')
      return `${comment}${keyOf(name)}${needed.includes(name) ? '' : '?'}: ${this.write(schema, inner)}`
    })
    const line = `{ ${fields.join(', ')} }`
    if (line.length <= 100 && !line.includes('\n') && !line.includes('/**')) return line
    return `{\n${fields.map((field) => `${inner}${field}`).join('\n')}\n${indent}}`
  }

  /** Returns the part of the schema that a reference points to. Undefined if the reference has no target. */
  #behind(reference: string): unknown {
    if (reference === '#') return this.#root
    if (!reference.startsWith('#/')) return undefined
    let part: unknown = this.#root
    for (const name of reference.slice(2).split('/')) {
      const key = name.replaceAll('~1', '/').replaceAll('~0', '~')
      part = isRecord(part) && Object.hasOwn(part, key) ? part[key] : undefined
    }
    return part
  }
}
