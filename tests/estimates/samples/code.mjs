// Code in languages that the repository itself has none of. Written for this test.

export const CODE = {
  python: [
    `from dataclasses import dataclass, field
from collections import Counter


@dataclass
class Basket:
    owner: str
    items: list[str] = field(default_factory=list)

    def add(self, item: str, amount: int = 1) -> None:
        """Puts an item into the basket, several times if need be."""
        if amount < 1:
            raise ValueError(f"amount must be positive, not {amount!r}")
        self.items.extend([item] * amount)

    def receipt(self, prices: dict[str, float]) -> str:
        lines = [f"Receipt for {self.owner}"]
        for item, count in Counter(self.items).most_common():
            lines.append(f"{count:>3} x {item:<20} {count * prices[item]:8.2f}")
        return "\\n".join(lines)


if __name__ == "__main__":
    basket = Basket("Ada")
    basket.add("apple", 3)
    print(basket.receipt({"apple": 0.4}))
`,
    `import asyncio
import logging

import httpx

logger = logging.getLogger(__name__)


async def fetch_all(urls, *, limit=5, timeout=10.0):
    semaphore = asyncio.Semaphore(limit)

    async def fetch(client, url):
        async with semaphore:
            try:
                response = await client.get(url, timeout=timeout)
                response.raise_for_status()
            except httpx.HTTPError as error:
                logger.warning("could not fetch %s: %s", url, error)
                return None
            return response.text

    async with httpx.AsyncClient(follow_redirects=True) as client:
        return await asyncio.gather(*(fetch(client, url) for url in urls))
`,
  ],
  go: [
    `package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
)

type Store struct {
	mu    sync.RWMutex
	items map[string]int
}

var ErrNotFound = errors.New("item not found")

func (s *Store) Get(name string) (int, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	count, ok := s.items[name]
	if !ok {
		return 0, fmt.Errorf("get %q: %w", name, ErrNotFound)
	}
	return count, nil
}

func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	count, err := s.Get(r.URL.Query().Get("name"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]int{"count": count})
}
`,
  ],
  java: [
    `package org.example.orders;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

public final class OrderSummary {
    private final Map<String, List<Order>> ordersByCustomer;

    public OrderSummary(List<Order> orders) {
        this.ordersByCustomer = orders.stream()
                .collect(Collectors.groupingBy(Order::getCustomerId));
    }

    public List<String> topCustomers(int limit) {
        return ordersByCustomer.entrySet().stream()
                .sorted(Comparator.comparingDouble((Map.Entry<String, List<Order>> entry) ->
                        entry.getValue().stream().mapToDouble(Order::getTotal).sum()).reversed())
                .limit(limit)
                .map(Map.Entry::getKey)
                .toList();
    }
}
`,
  ],
  sql: [
    `CREATE TABLE invoices (
  id BIGSERIAL PRIMARY KEY,
  customer_id BIGINT NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
  amount NUMERIC(12, 2) NOT NULL CHECK (amount >= 0),
  created_at TIMESTAMPTZ NOT NULL DEFAULT now()
);

WITH monthly AS (
  SELECT customer_id, date_trunc('month', created_at) AS month, sum(amount) AS total
  FROM invoices
  WHERE created_at >= now() - INTERVAL '1 year'
  GROUP BY customer_id, month
)
SELECT c.name, m.month, m.total, rank() OVER (PARTITION BY m.month ORDER BY m.total DESC) AS place
FROM monthly m
JOIN customers c ON c.id = m.customer_id
ORDER BY m.month, place
LIMIT 100;
`,
  ],
  shell: [
    `#!/usr/bin/env bash
set -euo pipefail

root=$(cd "$(dirname "\${BASH_SOURCE[0]}")/.." && pwd)
backup_dir="\${BACKUP_DIR:-$root/backups}"
mkdir -p "$backup_dir"

for database in $(psql -At -c "SELECT datname FROM pg_database WHERE NOT datistemplate"); do
  file="$backup_dir/$database-$(date +%Y%m%d).sql.gz"
  if [[ -e "$file" ]]; then
    echo "skipping $database: $file exists" >&2
    continue
  fi
  pg_dump --no-owner "$database" | gzip -9 > "$file.part"
  mv "$file.part" "$file"
done

find "$backup_dir" -name '*.sql.gz' -mtime +30 -delete
`,
  ],
  html: [
    `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Opening hours</title>
    <style>
      body { margin: 0 auto; max-width: 40rem; font: 1rem/1.5 system-ui, sans-serif; color: #222; }
      .hours td:first-child { padding-right: 2em; font-weight: 600; }
      @media (prefers-color-scheme: dark) { body { background: #111; color: #eee; } }
    </style>
  </head>
  <body>
    <h1 id="hours">Opening hours</h1>
    <table class="hours">
      <tr><td>Monday</td><td>9:00 to 18:00</td></tr>
      <tr><td>Saturday</td><td>10:00 to 14:00</td></tr>
    </table>
    <a href="/contact?from=hours" rel="nofollow">Write to us</a>
  </body>
</html>
`,
  ],
}

/** What tools give back and take. */
export const JSON_VALUES = [
  {
    orders: [
      { id: "ord_8fK2mQ91xZ", customer: { id: 48213, name: "Ada Lovelace", email: "ada@example.com" }, total: 1249.5, currency: "EUR", status: "shipped", created_at: "2026-03-14T09:26:53Z" },
      { id: "ord_1hT7pR44yB", customer: { id: 51877, name: "Grace Hopper", email: "grace@example.com" }, total: 89.99, currency: "USD", status: "pending", created_at: "2026-03-15T17:02:11Z" },
    ],
    next_cursor: "eyJpZCI6NTE4NzcsInRzIjoxNzczNTk0MTMxfQ==",
    has_more: true,
  },
  {
    type: "FeatureCollection",
    features: [
      { type: "Feature", geometry: { type: "Point", coordinates: [13.4049540, 52.5200066] }, properties: { name: "Berlin", population: 3677472 } },
      { type: "Feature", geometry: { type: "Point", coordinates: [2.3522219, 48.8566140] }, properties: { name: "Paris", population: 2102650 } },
      { type: "Feature", geometry: { type: "Point", coordinates: [-0.1277583, 51.5073509] }, properties: { name: "London", population: 8866180 } },
    ],
  },
  {
    commits: [
      { sha: "9fceb02d0ae598e95dc970b74767f19372d61af8", author: "octocat", message: "Fix the retry of a request that timed out\n\nThe timer was not cleared.", files: ["src/client/retry.ts", "test/client/retry.test.ts"], additions: 24, deletions: 7 },
      { sha: "c3d0be41ecbe669545ee3e94d31ed9a4bc91ee3c", author: "hubot", message: "Bump eslint from 9.1.0 to 9.2.0", files: ["package.json", "package-lock.json"], additions: 118, deletions: 96 },
    ],
    repository: { full_name: "example/http-client", default_branch: "main", private: false, html_url: "https://github.com/example/http-client" },
  },
  {
    level: "error",
    time: 1773480413123,
    service: "billing-worker",
    trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
    error: { name: "TimeoutError", message: "upstream did not answer within 5000 ms", stack: "TimeoutError: upstream did not answer within 5000 ms\n    at Client.request (/app/dist/client.js:88:13)\n    at async charge (/app/dist/billing.js:41:20)" },
    request: { method: "POST", path: "/v1/charges", headers: { "content-type": "application/json", "idempotency-key": "0b1f7c9e-52f4-4c1e-8e0c-7d4b8a9f6e21" } },
  },
  { city: "Zürich", forecast: [{ day: "Monday", high: 21.4, low: 11.2, rain: 0.1 }, { day: "Tuesday", high: 18.9, low: 10.7, rain: 4.6 }, { day: "Wednesday", high: 16.3, low: 9.8, rain: 12.4 }], units: { temperature: "celsius", rain: "mm" }, alerts: [] },
  { file_path: "/home/user/project/src/components/Button.tsx", old_string: "export function Button({ label }: Props) {", new_string: "export function Button({ label, disabled = false }: Props) {", replace_all: false },
]
