import { mediaTools } from '@capstan/media'
import { expect, test } from 'vitest'
import { type Field, fieldOf } from './field.js'
import { makeForm, readForm, writeForm } from './form.js'

const tools = mediaTools()

test('the six media tools have forms without JSON', () => {
  expect(tools).toHaveLength(6)
  for (const { name, definition } of tools) {
    const field = fieldOf(definition?.function.parameters)
    expect(jsonParts(field), name).toEqual([])
  }
})

test('arguments of generate_image are read and written as they were', () => {
  const schema = tools.find(({ name }) => name === 'generate_image')?.definition?.function.parameters
  const { field } = makeForm(schema)
  const json = '{"prompt":"Oslo in snow","n":2}'
  const state = readForm(field, json)
  expect(state && writeForm(field, state)).toBe(json)
})

function jsonParts(field: Field): readonly string[] {
  if (field.kind === 'json') return [field.reason]
  if (field.kind === 'union') return field.options.flatMap((option) => jsonParts(option.field))
  if (field.kind === 'list')
    return [...field.prefix(), ...(field.item ? [field.item()] : [])].flatMap(jsonParts)
  return field.kind === 'object' ? field.fields().flatMap((one) => jsonParts(one.field)) : []
}
