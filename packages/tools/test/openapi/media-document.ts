// The media endpoints of the local service, as a document. The service itself has none.

const bytes = { type: 'string', contentMediaType: 'application/octet-stream' }
const text = { type: 'string' }
const size = { type: 'string', description: 'Width and height in pixels, as 64x64' }
const json = (properties: object, required: readonly string[]) => ({
  required: true,
  content: { 'application/json': { schema: { type: 'object', properties, required } } },
})
const form = (properties: object, required: readonly string[]) => ({
  required: true,
  content: { 'multipart/form-data': { schema: { type: 'object', properties, required } } },
})
const responses = (description: string) => ({ 200: { description } })

export const mediaDocument = {
  openapi: '3.1.0',
  info: { title: 'Media endpoints of the local service', version: '1' },
  servers: [{ url: 'http://127.0.0.1:4100/v1' }],
  security: [{ key: [] }],
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/images/generations': {
      post: {
        operationId: 'generateImage',
        summary: 'Generates images from a prompt.',
        requestBody: json({ model: text, prompt: text, size, n: { type: 'integer', minimum: 1 } }, [
          'model',
          'prompt',
        ]),
        responses: responses('The images'),
      },
    },
    '/images/edits': {
      post: {
        operationId: 'editImage',
        summary: 'Edits the masked part of an image by a prompt.',
        requestBody: form({ model: text, image: bytes, mask: bytes, prompt: text, size }, [
          'model',
          'image',
          'prompt',
        ]),
        responses: responses('The edited images'),
      },
    },
    '/images/variations': {
      post: {
        operationId: 'varyImage',
        summary: 'Makes variations of an image.',
        requestBody: form({ model: text, image: bytes, n: { type: 'integer', minimum: 1 }, size }, [
          'model',
          'image',
        ]),
        responses: responses('The variations'),
      },
    },
    '/audio/transcriptions': {
      post: {
        operationId: 'transcribe',
        summary: 'Writes down what a recording says.',
        requestBody: form({ model: text, file: bytes }, ['model', 'file']),
        responses: responses('The text'),
      },
    },
    '/audio/translations': {
      post: {
        operationId: 'translate',
        summary: 'Writes down in English what a recording says.',
        requestBody: form({ model: text, file: bytes }, ['model', 'file']),
        responses: responses('The English text'),
      },
    },
    '/audio/speech': {
      post: {
        operationId: 'speak',
        summary: 'Speaks a text.',
        requestBody: json({ model: text, voice: text, input: text, format: text }, ['model', 'input']),
        responses: { 200: { description: 'The audio', content: { 'audio/*': {} } } },
      },
    },
  },
}
