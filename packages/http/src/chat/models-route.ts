import { HttpError } from '../http-error.js'
import { notAllowed } from '../not-allowed.js'
import { toPathText } from '../path-text.js'
import type { Visit } from '../site.js'

/** `GET v1/models`: the agents, as models. */
export async function modelsRoute({ request, site, rest }: Visit): Promise<Response> {
  if (request.method !== 'GET') throw notAllowed('GET')
  const data = [...site.agents.keys()].map((id) => ({ id, object: 'model', created: 0, owned_by: 'capstan' }))
  const [wanted] = rest
  if (wanted === undefined) return Response.json({ object: 'list', data })
  const model = data.find(({ id }) => id === toPathText(wanted))
  if (model) return Response.json(model)
  throw new HttpError(404, 'model_not_found', `There is no model ${JSON.stringify(wanted)}.`)
}
