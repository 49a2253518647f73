// A process with one run: `first-run.ts text` without a program, `first-run.ts program` with one. It ends by itself.
import { setImmediate } from 'node:timers/promises'
import { Agent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { codeMode } from '../src/index.js'

let threads = 0
process.on('worker', () => {
  threads += 1
})

const last = async () => {
  await setImmediate()
  return reply.text(`${threads} thread`)
}
const code = 'return 42'
const steps = process.argv[2] === 'program' ? [reply.call('run_program', { code })] : []
const agent = new Agent({ model: scriptedModel([...steps, last]), middleware: [codeMode()] })
await setImmediate()
console.log('before:', threads)
const { toolCalls, text } = await agent.run('Go')
console.log(toolCalls[0]?.content, text)
