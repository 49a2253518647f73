import type { Endpoint } from '../http/endpoint.js'
import { models } from '../models.js'

/** Lists the models, each with its engine, how real it is and where it ends. */
export const listModels: Endpoint = async () => ({
  json: {
    object: 'list',
    data: Object.entries(models).map(([id, { engine, kind, limit }]) => ({
      id,
      object: 'model',
      created: 0,
      owned_by: 'capstan',
      engine,
      kind,
      limit,
    })),
  },
})
