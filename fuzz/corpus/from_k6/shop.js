import http from 'k6/http';
import { check, group, sleep } from 'k6';
import { Trend } from 'k6/metrics';

const BASE = __ENV.BASE || 'https://shop.example';
const slow = new Trend('slow');
export const options = {
  scenarios: { buyers: { executor: 'ramping-arrival-rate', startRate: 1, timeUnit: '1s', preAllocatedVUs: 50, stages: [{ duration: '30s', target: 10 }, { duration: '5m', target: 10 }] } },
  thresholds: { http_req_duration: ['p(95)<500'], http_req_failed: [{ threshold: 'rate<0.01', abortOnFail: true }], slow: ['avg<3'] },
};

export default function () {
  const login = http.post(`${BASE}/login`, JSON.stringify({ user: 'perf', password: 'hunter22' }), { headers: { 'Content-Type': 'application/json' } });
  check(login, { ok: (r) => r.status === 200, quick: (r) => r.timings.duration < 300 });
  const params = { headers: { Authorization: `Bearer ${login.json('token')}` } };
  group('browse', () => {
    const items = http.get(`${BASE}/items?limit=${1 + 4}`, params);
    slow.add(items.timings.duration);
    sleep(Math.random() * 3);
    http.get(`${BASE}/items/${items.json().items[0].id}`, params);
  });
  if (login.json('admin')) {
    http.del(`${BASE}/items/1`);
  }
}
