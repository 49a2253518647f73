import type { AnyTool } from '@capstan/core'
import { columnsOf } from '../say/columns-of.js'
import { oneLine } from '../say/one-line.js'
import type { Paint } from '../screen/colour.js'
import { type Schema, typeText } from './type-text.js'

/** A tool as one reads it: what it does, and each of its parameters. */
export function toolLines({ definition }: AnyTool, paint: Paint): string[] {
  const { name, description, parameters } = definition.function
  const { properties = {}, required = [] } = parameters as Schema
  const rows = Object.entries(properties).map(([parameter, schema]) => [oneLine(parameter), schema] as const)
  const width = Math.max(0, ...rows.map(([parameter]) => columnsOf(parameter)))
  const lines = rows.map(([parameter, schema]) => {
    const facts = [typeText(schema), ...optional(schema, required.includes(parameter))].join(', ')
    const told = oneLine(`${facts}. ${schema.description ?? ''}`, 200)
    return `  ${parameter}${' '.repeat(width - columnsOf(parameter))}  ${told}`
  })
  return [`${paint('strong', oneLine(name))}: ${oneLine(description ?? '', 200)}`, ...lines]
}

function optional(schema: Schema, isRequired: boolean): string[] {
  if (schema.default !== undefined) return [`default ${JSON.stringify(schema.default)}`]
  return isRequired ? [] : ['optional']
}
