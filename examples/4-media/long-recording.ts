// A long text is spoken in parts that are joined, and transcribed in chunks whose texts are joined.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, memoryArtifacts } from '@capstan/core'
import { speak, transcribeAudio } from '@capstan/media'

const text = 'The weather is fine today. We will go to the market. The train was late again.'
const artifacts = memoryArtifacts()

const { audio } = await speak({ speech: { maxCharacters: 50 } }).call({ input: text }, { artifacts })
console.log(
  audio.mediaType,
  `${Math.round((audio.durationMs ?? 0) / 1000)} s, from parts of at most 50 characters`,
)

const transcribe = transcribeAudio({ audio: { maxSeconds: 4, inFlight: 1 } })
const agent = new Agent({ model: 'planner', tools: [transcribe], artifacts })
const result = await agent.run('Transcribe the attached recording.', {
  attachments: [audio],
  observe: (event) => {
    if (event.type === 'tool-progress') console.log('heard', JSON.stringify(event.value))
  },
})
console.log(result.text)
console.log('seconds used:', Math.round(result.usage.audioSeconds))
