// Media request fields: for every call, for one call, or chosen by the model. Partial images are reported as progress.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent } from '@capstan/core'
import { mediaTools, speak } from '@capstan/media'

// #region options
const tools = mediaTools({
  request: {
    image: { quality: 'low', outputFormat: 'jpeg', partialImages: 2 },
    speech: { speed: 0.9 },
  },
  parameters: { image: ['background'], speech: ['speed'] },
})
// #endregion

const agent = new Agent({ model: 'planner', tools })
const { artifacts } = await agent.run('Draw a red sailboat at sunset in 256x192.', {
  observe(event) {
    if (event.type !== 'tool-progress') return
    const { partialImage, index } = event.value as { partialImage: { id: string }; index: number }
    console.log('partial image', index, partialImage.id)
  },
})
for (const { id, mediaType, width, height } of artifacts) console.log(id, mediaType, `${width}x${height}`)

// #region call
const [slow, fast] = await Promise.all([0.5, 2].map((speed) => speak({ input: 'Good night.', speed })))
// #endregion
console.log(slow?.audio.durationMs, 'ms, and', fast?.audio.durationMs, 'ms')
