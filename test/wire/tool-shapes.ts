/** A tool as a request shows it, in JSON Schema. */
export interface ToolShape {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
}

/** A tool of an object with these properties. */
export function toolShape(
  name: string,
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[] = [],
): ToolShape {
  return {
    name,
    description: name.replaceAll('_', ' '),
    parameters: { type: 'object', properties, required },
  }
}

export const getWeather = toolShape(
  'get_weather',
  { city: { type: 'string' }, unit: { type: 'string', enum: ['c', 'f'] } },
  ['city'],
)

export const getTime = toolShape('get_time', {})

export const saveNote = toolShape(
  'save_note',
  {
    title: { type: 'string' },
    body: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
  },
  ['title'],
)

export const addNumbers = toolShape('add', { a: { type: 'number' }, b: { type: 'number' } }, ['a', 'b'])

export const search = toolShape('search', { query: { type: 'string' }, limit: { type: 'integer' } }, [
  'query',
])

export const storeData = toolShape('store', { data: { type: 'object', additionalProperties: true } }, [
  'data',
])
