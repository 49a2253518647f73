// A recording with timestamps and subtitles, even if it is sent in chunks. Each function is called without an agent.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { speak, transcribeAudio } from '@capstan/media'

const input = 'The weather is fine today. We will go to the market. The train was late again.'
const { audio } = await speak({ input, voice: 'onyx' })

const { text, segments, subtitles } = await transcribeAudio({
  file: audio,
  timestamps: 'segment',
  subtitles: 'srt',
  audio: { maxSeconds: 4 },
})
console.log(text)
for (const segment of segments) console.log(segment.start, 'to', segment.end, 's:', segment.text)
console.log(new TextDecoder().decode(await subtitles.read()))
