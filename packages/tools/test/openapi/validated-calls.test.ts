import { memoryArtifacts } from '@capstan/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { openapiTools } from '../../src/openapi.js'
import { callsOf, type Texts } from './arbitrary-of.js'
import { startApi } from './start-api.js'
import { styledDocument } from './styled-document.js'
import { type ReadRequest, validating } from './validating-server.js'

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
)
/** Arguments that stand in a path or a header, or whose items are separated. */
const inPath = /^(term|label|matrix|point|exploded|list|id)$/
const plain = fc.stringMatching(/^[a-z0-9_-]{1,10}$/)

/** A path holds neither nothing nor segments, a header one line, a list none of what separates its items. */
const textsFor =
  (file: string): Texts =>
  ([first = '', ...inner]) => {
    if (/^files?$|^body$/.test(first) && inner.every((one) => one === '*')) return fc.constant(file)
    if (first.startsWith('X-') || /^(spaced|piped)$/.test(first)) return plain
    if (inPath.test(first)) return anyText.filter((text) => /^[^\p{Cc}/\\.%]+$/u.test(text))
    return anyText
  }

test.each(['3.0', '3.1'] as const)(
  'a server that validates by a document of %s refuses none of 1,000 calls',
  async (version) => {
    const document = styledDocument(version)
    const { origin, arrived } = await startApi(validating(document))
    const { tools, skipped } = openapiTools(document, { allow: '*', baseURL: origin })
    expect([tools.length, skipped]).toEqual([11, []])
    const artifacts = memoryArtifacts()
    const { id } = await artifacts.put(Buffer.from('\x89PNG\r\n\x1a\nhello', 'latin1'), {
      kind: 'image',
      mediaType: 'image/png',
    })
    const calls = cases(1000)
    for (const tool of tools) {
      const texts =
        tool.name === 'note' || tool.name === 'list' || tool.name === 'choice' ? () => anyText : textsFor(id)
      const argsOfCall = callsOf(tool.definition.function.parameters, texts)
      await fc.assert(
        fc.asyncProperty(argsOfCall, async (args) => {
          const read = (await tool.call(args, { artifacts })) as unknown as ReadRequest
          expect(read.operationId).toBe(tool.name)
          expectSame(args, read, id)
        }),
        { numRuns: Math.ceil(calls / tools.length / 2) + 1 },
      )
    }
    expect(arrived.length).toBeGreaterThanOrEqual(calls / 2)
  },
)

/** What the server read is what the call said. */
function expectSame(
  args: Readonly<Record<string, unknown>>,
  { parameters, body }: ReadRequest,
  id: string,
): void {
  const seen = {
    ...Object.fromEntries(
      Object.entries(parameters).map(([key, value]) => [key.split(' ').slice(1).join(' '), value]),
    ),
  }
  for (const [name, value] of Object.entries(args)) {
    const wire = { filter_name: 'filter[name]', query_id: 'id' }[name] ?? name
    const isBody = name === 'body' || !(wire in seen)
    const got =
      name === 'body'
        ? body
        : isBody
          ? Object(body)[name]
          : name === 'query_id'
            ? parameters['query id']
            : name === 'id'
              ? parameters['path id']
              : seen[wire]
    const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
    if (isEmpty && got === undefined) continue
    expect([name, got]).toEqual([name, asRead(value, id, name)])
  }
}

function asRead(value: unknown, id: string, name: string): unknown {
  if (value === id)
    return name === 'body'
      ? Buffer.from('\x89PNG\r\n\x1a\nhello', 'latin1').toString('base64')
      : 'image/png 13'
  return Array.isArray(value) && value[0] === id
    ? value.map((one) => asRead(one, id, name))
    : JSON.parse(JSON.stringify(value))
}
