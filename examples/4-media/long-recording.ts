// A text is spoken in parts that are joined, and transcribed in pieces whose texts are joined.
import { Agent, chatModel, memoryArtifacts } from '@capstan/core'
import { speak, transcribeAudio } from '@capstan/media'
import { startService } from '@capstan/service'

const text = 'The weather is fine today. We will go to the market. The train was late again.'

async function main(): Promise<void> {
  const service = await startService()
  const artifacts = memoryArtifacts()

  const speech = { maxCharacters: 50 }
  const { audio } = await speak({ client: service, speech }).call({ input: text }, { artifacts })
  console.log(
    audio.mediaType,
    `${Math.round((audio.durationMs ?? 0) / 1000)} s, from parts of at most 50 characters`,
  )

  const listen = transcribeAudio({ client: service, audio: { maxSeconds: 4, inFlight: 1 } })
  const agent = new Agent({ model: chatModel('planner', service), tools: [listen], artifacts })
  const result = await agent.run('Transcribe the attached recording.', {
    attachments: [audio],
    observe: (event) => {
      if (event.type === 'tool-progress') console.log('heard', JSON.stringify(event.value))
    },
  })
  console.log(result.text)
  console.log('seconds used:', Math.round(result.usage.audioSeconds))
  await service.close()
}

main()
