// A recording of a run: explained, and replayed without a model as a test of the agent. Replays need no key and no network.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { explain, recordRun, replayRun } from '@capstan/testing/recording'
import { weather } from '../tools.js'

const folder = mkdtempSync(join(tmpdir(), 'capstan-'))
const [file, second] = [join(folder, 'weather.jsonl'), join(folder, 'bergen.jsonl')]
// #region record
const agent = new Agent({ model: 'planner', tools: [weather] })
await agent.run('What is the weather in Oslo and in Rome?', recordRun(file))
// #endregion

// #region explain
console.log(explain(file))
// #endregion

// #region replay
const [again] = await replayRun(file, { agent })
console.log(again?.text)
// #endregion

// Record another model for this run, such as a scripted one.
// #region model
const model = scriptedModel([reply.call('get_weather', { city: 'Bergen' }), reply.text('It is 4 degrees.')])
await agent.run('And in Bergen?', recordRun(second, { model }))
const [scripted] = await replayRun(second, { agent })
console.log(scripted?.text)
// #endregion

// Replay the same replies with another agent: the differences are reported.
const other = new Agent({ model: 'planner', instructions: 'Be brief.', tools: [weather] })
await replayRun(file, { agent: other }).catch(({ message }) => console.log(message.replace(file, 'FILE')))
rmSync(folder, { recursive: true })
