import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

const program = `
import { createServer } from 'node:http'
import { Agent, chatModel, jsonSchema, tool } from '../src/index.js'

const message = { role: 'assistant', content: 'Hello.' }
const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }] }))
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const model = chatModel('m', { apiKey: '', baseURL: 'http://127.0.0.1:' + server.address().port })
const parameters = jsonSchema({ type: 'object', properties: {} })
const tools = [tool({ name: 'f', description: 'F', parameters, execute: () => 1 })]
const { text } = await new Agent({ model, tools }).run('Hello')
const loaded = process.moduleLoadList.filter((name) => name.includes('undici'))
console.log(JSON.stringify({ text, loaded }))
process.exit()
`

test('a run over node:http does not load the fetch of Node, which takes 30 ms', async () => {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
  })
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module'], {
    input: outputFiles[0]?.text,
    encoding: 'utf8',
  })
  expect({ stderr, ...JSON.parse(stdout) }).toEqual({ stderr: '', text: 'Hello.', loaded: [] })
})
