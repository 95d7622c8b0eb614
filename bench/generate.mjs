// Believable tools, the same ones for the same number on every machine: MCP definitions of well-known kinds of
// service, with the nested schemas, the stock phrases and the near-duplicates that real catalogues are full of. On
// the average a definition takes 720 bytes; real ones take 450 (short APIs) to 1,600 (MCP servers).

const DOMAINS = [
  {
    services: ["github", "gitlab", "bitbucket", "gitea", "azure_devops", "sourcehut", "codeberg", "phabricator"],
    nouns: ["issue", "pull_request", "branch", "commit", "release", "repository", "workflow_run", "review_comment", "label", "milestone"],
    about: ["so that the work of a team can be followed", "in the repository that the token has access to", "with the checks that protect the default branch"],
  },
  {
    services: ["jira", "linear", "asana", "trello", "clickup", "youtrack", "shortcut", "basecamp"],
    nouns: ["ticket", "sprint", "board", "epic", "comment", "worklog", "checklist", "attachment", "project", "custom_field"],
    about: ["to plan and track the work of a team", "in the project that is selected", "with its assignee, its estimate and its status"],
  },
  {
    services: ["slack", "teams", "discord", "mattermost", "zulip", "rocket_chat", "webex", "google_chat"],
    nouns: ["message", "channel", "thread", "reaction", "reminder", "user_group", "file", "direct_message", "bookmark", "call"],
    about: ["so that people see it at once", "in a channel that the bot was invited to", "with mentions and formatted text"],
  },
  {
    services: ["gmail", "outlook", "fastmail", "protonmail", "sendgrid", "mailgun", "postmark", "mailchimp"],
    nouns: ["email", "draft", "mail_label", "mail_filter", "template", "campaign", "recipient_list", "attachment", "signature", "bounce"],
    about: ["with recipients, a subject and a body in plain text or HTML", "in the mailbox of the signed-in person", "and keeps a copy among the sent ones"],
  },
  {
    services: ["google_calendar", "outlook_calendar", "calendly", "cal_com", "zoom", "doodle", "teamup", "acuity"],
    nouns: ["event", "calendar", "meeting", "invitation", "availability", "recurring_event", "room", "booking_link", "attendee", "recording"],
    about: ["with a start, an end and a time zone", "for the people who were invited", "and finds a time when everybody is free"],
  },
  {
    services: ["salesforce", "hubspot", "pipedrive", "zoho_crm", "close", "attio", "copper", "freshsales"],
    nouns: ["contact", "lead", "deal", "company", "opportunity", "pipeline", "activity", "quote", "territory", "forecast"],
    about: ["so that sales know where a customer stands", "with its owner and its stage", "from the fields that the account has defined"],
  },
  {
    services: ["stripe", "paypal", "quickbooks", "xero", "chargebee", "square", "adyen", "freshbooks"],
    nouns: ["invoice", "payment", "refund", "subscription", "customer", "payout", "tax_rate", "credit_note", "dispute", "price"],
    about: ["with amounts in the smallest unit of the currency", "for a customer on record", "and books it in the ledger"],
  },
  {
    services: ["shopify", "woocommerce", "magento", "bigcommerce", "etsy", "ebay", "shippo", "shipstation"],
    nouns: ["order", "product", "inventory_level", "discount_code", "shipment", "return", "variant", "collection", "tracking_number", "warehouse"],
    about: ["so that a parcel reaches its buyer", "in the shop that is connected", "with stock, weight and price"],
  },
  {
    services: ["google_drive", "dropbox", "onedrive", "box", "sharepoint", "nextcloud", "s3", "filesystem"],
    nouns: ["file", "folder", "shared_link", "permission", "file_version", "trash_item", "upload_session", "quota", "drive", "thumbnail"],
    about: ["under a path or an id", "with who may read and who may write", "whatever its size, in parts if need be"],
  },
  {
    services: ["notion", "confluence", "google_docs", "coda", "airtable", "evernote", "obsidian", "google_sheets"],
    nouns: ["page", "document", "database_row", "block", "table", "spreadsheet_range", "comment", "template", "view", "revision"],
    about: ["as rich text or Markdown", "in the workspace that was shared", "with its properties and its parent"],
  },
  {
    services: ["postgres", "mysql", "mongodb", "redis", "snowflake", "bigquery", "supabase", "elasticsearch"],
    nouns: ["query", "table_schema", "collection", "index", "backup", "role", "migration", "record", "view", "connection"],
    about: ["in the database that the connection names", "without changing data unless writing was allowed", "with at most as many rows as are asked for"],
  },
  {
    services: ["datadog", "grafana", "pagerduty", "sentry", "new_relic", "opsgenie", "prometheus", "splunk"],
    nouns: ["alert", "incident", "dashboard", "metric", "log_search", "monitor", "on_call_schedule", "error_event", "silence", "service_level"],
    about: ["so that somebody is woken when it matters", "over a range of time", "with its severity and its team"],
  },
  {
    services: ["aws", "google_cloud", "azure", "cloudflare", "digitalocean", "kubernetes", "terraform", "vercel"],
    nouns: ["instance", "deployment", "dns_record", "secret", "load_balancer", "bucket", "function", "cluster_node", "certificate", "firewall_rule"],
    about: ["in a region of the account", "and waits until it is ready", "with tags and limits"],
  },
  {
    services: ["google_analytics", "mixpanel", "amplitude", "segment", "looker", "tableau", "metabase", "posthog"],
    nouns: ["report", "funnel", "cohort", "event_count", "dashboard", "data_source", "experiment", "feature_flag", "audience", "chart"],
    about: ["by dimension and by day", "for the property that is measured", "so that a trend is seen before it is a problem"],
  },
  {
    services: ["workday", "bamboohr", "greenhouse", "lever", "gusto", "deel", "personio", "rippling"],
    nouns: ["employee", "candidate", "job_posting", "time_off_request", "payslip", "interview", "onboarding_task", "department", "contract", "expense"],
    about: ["with respect to who may see it", "for the person that is named", "and tells their manager"],
  },
  {
    services: ["browser", "web_search", "maps", "weather", "news", "translate", "spotify", "youtube"],
    nouns: ["page", "screenshot", "place", "route", "forecast", "article", "translation", "playlist", "video", "form"],
    about: ["from the open web", "near a place or an address", "in the language that is asked for"],
  },
]

const VERBS = [
  ["list", "Lists"], ["get", "Gets"], ["create", "Creates"], ["update", "Updates"], ["delete", "Deletes"],
  ["search", "Searches"], ["archive", "Archives"], ["export", "Exports"], ["assign", "Assigns"], ["share", "Shares"],
  ["duplicate", "Duplicates"], ["restore", "Restores"], ["watch", "Watches"], ["validate", "Validates"],
]

const REMARKS = [
  "Use this when the person asks for it by name; to find the name first, call the matching search.",
  "Returns the whole object, or an error that says which field was wrong.",
  "Results come in pages: pass the cursor of one page to get the next.",
  "This can't be undone. Ask before you call it.",
  "Needs a scope that read-only tokens do not have.",
  "Fields that are left out stay as they are.",
  "Do not call this repeatedly for the same input: the answer is cached for a minute.",
  "Times are ISO 8601 with an offset; without one they are taken as UTC.",
  "Large answers are cut; ask for fewer fields to see all of them.",
]

/** Numbers from 0 to 1, in an order that the seed decides. */
export function random(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** `count` MCP definitions (`{ name, description, inputSchema }`), server by server, every name once. */
export function tools(count, seed = 20260101) {
  const next = random(seed)
  const pick = (list) => list[Math.floor(next() * list.length)]
  const services = DOMAINS.flatMap((domain) => domain.services.map((service) => ({ service, domain })))
  // A dozen tools a server at first, as with real ones; more only where the services run out.
  const servers = Math.min(services.length, Math.max(1, Math.round(count / 12)))
  const step = services.length / servers
  const made = []
  for (let server = 0; server < servers; server++) {
    const { service, domain } = services[Math.floor(server * step)]
    const left = count - made.length
    const share = Math.ceil(left / (servers - server))
    const all = shuffled(domain.nouns.flatMap((noun) => VERBS.map((verb) => ({ noun, verb }))), next)
    const camel = server % 3 === 2
    for (const { noun, verb } of all.slice(0, share)) {
      made.push(tool({ service, domain, noun, verb, camel }, next, pick))
    }
  }
  if (made.length !== count) throw new RangeError(`the generator makes at most ${made.length} tools, not ${count}`)
  return made
}

function shuffled(list, next) {
  for (let at = list.length - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1))
    ;[list[at], list[other]] = [list[other], list[at]]
  }
  return list
}

function tool({ service, domain, noun, verb: [verb, verbs], camel }, next, pick) {
  const words = noun.replaceAll("_", " ")
  const title = service.split("_").map(capital).join(" ")
  const plural = verb === "list" || verb === "search"
  const object = plural ? many(words) : `${/^[aeiou]/.test(words) ? "an" : "a"} ${words}`
  const sentences = [`${verbs} ${object} in ${title} ${pick(domain.about)}.`]
  for (let more = Math.floor(next() * 4); more > 0; more--) sentences.push(pick(REMARKS))
  const local = plural ? `${verb}_${many(noun)}` : `${verb}_${noun}`
  const name = camel ? `${service}__${local.replace(/_(.)/g, (_, letter) => letter.toUpperCase())}` : `${service}__${local}`
  return {
    name,
    description: sentences.join(" "),
    inputSchema: schema({ verb, noun, words, title, domain }, next, pick),
  }
}

function schema({ verb, noun, words, title, domain }, next, pick) {
  const id = { type: "string", description: `The id of the ${words}, as ${title} shows it in its address.` }
  const other = pick(domain.nouns)
  const fields = {
    title: { type: "string", description: `A short title for the ${words}.`, maxLength: 255 },
    notes: { type: "string", description: "Longer text, as Markdown." },
    [`${other}_id`]: { type: "string", description: `The ${other.replaceAll("_", " ")} that this belongs to.` },
    owner: {
      type: "object",
      description: "Who is responsible for it.",
      properties: {
        user_id: { type: "string", description: "A person's id; `me` stands for the signed-in one." },
        team: { type: "string", description: "A team's name, where the account has teams." },
      },
    },
    tags: { type: "array", items: { type: "string", description: "A tag, created when there is none." }, maxItems: 20 },
    due_at: { type: "string", format: "date-time", description: "When it is due." },
  }
  const some = (amount) => Object.fromEntries(shuffled(Object.entries(fields), next).slice(0, amount))
  const amount = 2 + Math.floor(next() * 4)
  const object = (properties, required) => ({ type: "object", properties, required, additionalProperties: false })
  switch (verb) {
    case "list":
    case "search":
    case "export":
      return object(
        {
          ...(verb === "search" ? { query: { type: "string", description: `Words to look for in every ${words}.` } } : {}),
          filter: {
            type: "object",
            description: "Only those that match all of these.",
            properties: {
              status: { type: "string", enum: ["open", "in_progress", "done", "archived"], description: "The state it is in." },
              created: {
                type: "object",
                properties: {
                  after: { type: "string", format: "date-time", description: "Not older than this." },
                  before: { type: "string", format: "date-time", description: "Not newer than this." },
                },
              },
              ...some(1),
            },
          },
          limit: { type: "integer", minimum: 1, maximum: 100, default: 20, description: "How many at most." },
          cursor: { type: "string", description: "Where the page before this one ended." },
          ...(verb === "export" ? { format: { type: "string", enum: ["csv", "json", "xlsx"], description: "The kind of file." } } : {}),
        },
        verb === "search" ? ["query"] : [],
      )
    case "create":
    case "update":
      return object(
        {
          ...(verb === "update" ? { [`${noun}_id`]: id } : {}),
          fields: { type: "object", description: `What the ${words} holds.`, properties: some(amount) },
          notify: { type: "boolean", default: true, description: "Tell those who watch it." },
        },
        ["fields"],
      )
    case "share":
    case "assign":
      return object(
        {
          [`${noun}_id`]: id,
          to: {
            type: "array",
            description: "Who gets it.",
            items: {
              type: "object",
              properties: {
                user_id: { type: "string", description: "A person." },
                role: { type: "string", enum: ["reader", "commenter", "writer"], description: "What they may do with it." },
              },
              required: ["user_id"],
            },
          },
          message: { type: "string", description: "A line to those who get it." },
        },
        [`${noun}_id`, "to"],
      )
    default:
      return object({ [`${noun}_id`]: id, ...some(Math.floor(next() * 2)) }, [`${noun}_id`])
  }
}

const many = (noun) => (/[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : /[xs]$/.test(noun) ? `${noun}es` : `${noun}s`)
const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1)
