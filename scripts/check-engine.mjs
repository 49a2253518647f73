// The engine of programs as it is installed: its thread starts, from the snapshot of the build, and without one.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runIn } from './run-in.mjs'

const program = `
  import { Agent } from '@capstan/core'
  import { codeMode } from '@capstan/code'
  const call = { id: 'a', type: 'function', function: { name: 'run_program', arguments: '{"code":"return 6 * 7"}' } }
  const replies = [
    { message: { role: 'assistant', content: null, tool_calls: [call] }, finishReason: 'tool_calls' },
    { message: { role: 'assistant', content: 'ok' }, finishReason: 'stop' },
  ]
  const model = { name: 'm', complete: async () => replies.shift() }
  const { toolCalls } = await new Agent({ model, middleware: [codeMode()] }).run('Go')
  console.log(toolCalls[0].content)
`

/** Checks the engine of the package that is installed in a folder. @throws if it does not start as it should */
export async function checkEngine(folder, node) {
  const file = join(folder, 'node_modules/@capstan/code/dist/engine.snapshot')
  const built = readFileSync(file)
  const end = built.indexOf(10)
  const head = JSON.parse(built.subarray(0, end))
  const write = (fields, rest) =>
    writeFileSync(file, Buffer.concat([Buffer.from(`${JSON.stringify({ ...head, ...fields })}\n`), rest]))
  const said = async () => {
    const asModule = ['--input-type=module', '--eval', program]
    const asScript = ['--input-type=commonjs', '--eval', `(async () => {${toCommonJs(program)}})()`]
    return [await runIn(folder, node, asModule), await runIn(folder, node, asScript)]
  }
  const works = (outputs) => outputs.every((one) => one === '42\n')
  try {
    if (!works(await said())) throw new Error(`a program does not run: ${await said()}`)
    // An engine with nothing in its memory fails, so it shows that the file is used.
    write({}, Buffer.alloc(built.length - end - 1))
    if ((await said()).some((one) => one === '42\n')) throw new Error('the engine does not use its snapshot')
    write({ engine: 0 }, built.subarray(end + 1))
    if (!works(await said())) throw new Error('the engine does not run without a snapshot for its file')
  } finally {
    writeFileSync(file, built)
  }
}

function toCommonJs(text) {
  return text.replace(/import (\{ \w+ \}) from ('.*')/g, 'const $1 = require($2)')
}
