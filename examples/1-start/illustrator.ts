// The main example: an agent looks up the weather, draws it, edits the drawing, speaks and transcribes. `npm start` runs it.
import { Agent, chatModel } from '@capstan/core'
import { folderArtifacts } from '@capstan/core/node'
import { mediaTools } from '@capstan/media'
import { startService } from '@capstan/service'
import { count } from './illustrator/count.js'
import { findService } from './illustrator/find-service.js'
import { showCalls } from './illustrator/show-calls.js'
import { calculate, getWeather } from './illustrator/tools.js'

const sentence =
  process.argv.slice(2).join(' ') ||
  'Look up the weather in Oslo, draw it, then add a red balloon to the drawing, read "A red balloon flies over the city of Oslo" aloud, and transcribe the recording.'

async function main(): Promise<void> {
  const started = performance.now()
  const { CAPSTAN_MODEL, CAPSTAN_IMAGE_MODEL, CAPSTAN_SPEECH_MODEL, CAPSTAN_MEDIA } = process.env
  const found = findService(process.env)
  // With CAPSTAN_MEDIA=local a key for chat is enough: the local service forwards chat.
  const isMixed = found !== undefined && CAPSTAN_MEDIA === 'local'
  const upstream = found && { url: found.baseURL, apiKey: found.apiKey || undefined }
  const service = found && !isMixed ? found : await startService({ upstream })
  const local = 'close' in service ? service : undefined
  console.log(
    found?.says ??
      'OPENAI_BASE_URL and OPENAI_API_KEY are not set, so the local service replies. It follows rules; it is not a language model.',
  )
  if (isMixed) console.log('The local service makes images and audio.')

  const artifacts = folderArtifacts('output')
  const agent = new Agent({
    model: chatModel(CAPSTAN_MODEL ?? (found ? 'gpt-5-mini' : 'planner'), service),
    instructions:
      'You look things up, draw and speak with your tools. Do what is asked, step by step, then answer briefly.',
    tools: [
      getWeather,
      calculate,
      ...mediaTools({
        client: service,
        models: {
          ...(CAPSTAN_IMAGE_MODEL ? { image: CAPSTAN_IMAGE_MODEL, edit: CAPSTAN_IMAGE_MODEL } : {}),
          ...(CAPSTAN_SPEECH_MODEL ? { speech: CAPSTAN_SPEECH_MODEL } : {}),
        },
      }),
    ],
    artifacts,
    observe: showCalls(artifacts.pathOf),
  })

  console.log(`\n> ${sentence}\n`)
  try {
    const result = await agent.run(sentence)
    console.log(`\n${result.text}\n`)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    const { stopReason, stepCount, toolCalls } = result
    const done = [count(stepCount, 'step'), count(toolCalls.length, 'call')]
    const made = `${count(result.artifacts.length, 'file')} in output/`
    console.log(`${stopReason}: ${done.join(', ')}, ${made}, ${seconds} s`)
  } finally {
    await local?.close()
  }
}

main().catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})
