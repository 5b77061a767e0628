
// The client of a form: what is filled in becomes a typed part, and its task is followed to its end.
// A control is named by the pointer of its value, and its data-type says what it holds; rows are those of
// fieldsets with data-rows. Numbers are sent as they were typed, so that no digit is lost. Whatever
// comes back is written as text. The same message is sent again under the same messageId until something
// is changed, so that a cut connection begins no second task.
(function () {
  'use strict';
  var form = document.querySelector('form[action]');
  if (!form) { return; }
  var at = function (id) { return document.getElementById(id); };
  var token = at('token'), task = at('task'), answer = at('answer'), again = at('again'), stop = at('stop');
  var texts = task.dataset;
  var states = {};
  texts.states.split('|').forEach(function (pair) {
    states[pair.split('=')[0]] = pair.split('=')[1];
  });
  var shown = { id: null, context: null, over: false };
  var messageId = null;

  token.value = sessionStorage.getItem('token') || '';
  at('access').addEventListener('submit', function (event) { event.preventDefault(); });
  token.addEventListener('input', function () { sessionStorage.setItem('token', token.value.trim()); });
  form.addEventListener('input', function () { messageId = null; });
  answer.addEventListener('input', function () { messageId = null; });

  // What is filled in, as JSON.
  function payload() {
    var rows = Array.from(form.querySelectorAll('[data-rows]')).map(function (it) { return it.dataset.rows; });
    var whole = new Map();
    Array.from(form.elements).forEach(function (control) {
      var name = control.name || '';
      var unsaid = control.type === 'radio' ? !control.checked : false;
      if (unsaid || !name.startsWith('/') || control.value === '') { return; }
      var steps = name.slice(1).split('/');
      var last = steps.pop();
      var inner = steps.reduce(function (members, step) {
        if (!members.has(step)) { members.set(step, new Map()); }
        return members.get(step);
      }, whole);
      inner.set(last, json(control));
    });
    return written(whole, '', rows);
  }

  function json(control) {
    var text = control.value;
    switch (control.dataset.type) {
      case 'boolean': return text;
      case 'number': return text.replace(/^(-?)0+(?=\d)/, '$1').replace(/^(-?)\./, function (_, sign) { return sign + '0.'; });
      case 'lines': return JSON.stringify(text.split('\n').map(function (line) { return line.trim(); }).filter(Boolean));
      case 'json':
        try { JSON.parse(text); } catch (_) { throw { control: control, why: texts.notJson }; }
        return text;
      default: return JSON.stringify(text);
    }
  }

  function written(value, pointer, rows) {
    if (typeof value === 'string') { return value; }
    var inside = Array.from(value, function (member) {
      var inner = written(member[1], pointer + '/' + member[0], rows);
      if (rows.includes(pointer)) { return inner; }
      return JSON.stringify(member[0].replaceAll('~1', '/').replaceAll('~0', '~')) + ':' + inner;
    });
    return rows.includes(pointer) ? '[' + inside.join() + ']' : '{' + inside.join() + '}';
  }

  // Not randomUUID: that is only there over TLS and on loopback.
  function fresh() {
    var bytes = Array.from(crypto.getRandomValues(new Uint8Array(16)));
    return bytes.map(function (byte) { return byte.toString(16).padStart(2, '0'); }).join('');
  }

  function ask(path, body, accept) {
    var headers = { 'A2A-Version': '1.0', 'Accept': accept };
    if (body) { headers['Content-Type'] = 'application/json'; }
    if (token.value.trim()) { headers.Authorization = 'Bearer ' + token.value.trim(); }
    return fetch(path, { method: 'POST', headers: headers, body: body, credentials: 'same-origin' });
  }

  function say(parts, rest) {
    messageId = messageId || fresh();
    var message = '{"messageId":' + JSON.stringify(messageId) + ',"role":"ROLE_USER","parts":' + parts + rest + '}';
    return follow(form.getAttribute('action'), '{"message":' + message + '}');
  }

  // Reads a stream of events to its end, and shows each.
  async function follow(path, body) {
    clear(at('refusal'), true);
    again.hidden = true;
    busy(true);
    try {
      var response = await ask(path, body, 'text/event-stream');
      if (!response.ok) { return refused(await response.text(), response.status); }
      var reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      var rest = '';
      for (;;) {
        var piece = await reader.read();
        if (piece.done) { break; }
        var events = (rest + piece.value).split(/\r?\n\r?\n/);
        rest = events.pop();
        events.forEach(told);
      }
      if (!shown.over) { cut(); }
    } catch (_) {
      cut();
    } finally {
      busy(false);
    }
  }

  function ofTask(verb) {
    return '../tasks/' + encodeURIComponent(shown.id) + verb;
  }

  function told(event) {
    var data = event.split('\n').filter(function (line) { return line.startsWith('data:'); });
    if (!data.length) { return; }
    show(JSON.parse(data.map(function (line) { return line.slice(5); }).join('\n')));
  }

  function show(news) {
    messageId = null;
    if (news.message) { return said(news.message); }
    if (news.task) {
      shown.id = news.task.id;
      shown.context = news.task.contextId;
      at('task-id').textContent = news.task.id;
      clear(at('result'), false);
      (news.task.artifacts || []).forEach(result);
      state(news.task.status);
    }
    if (news.artifactUpdate) { clear(at('result'), false); result(news.artifactUpdate.artifact); }
    if (news.statusUpdate) { state(news.statusUpdate.status); }
    task.hidden = false;
  }

  function state(status) {
    var name = status.state.replace('TASK_STATE_', '').toLowerCase().replace('_', '-');
    at('state').textContent = (states[name] || name) + ' ';
    task.dataset.state = name;
    var ended = ['completed', 'failed', 'canceled', 'rejected'].includes(name);
    shown.over = ended || ['input-required', 'auth-required'].includes(name);
    stop.hidden = ended;
    answer.hidden = name !== 'input-required';
    clear(at('said'), false);
    if (status.message) { said(status.message); }
  }

  function said(message) {
    (message.parts || []).forEach(function (part) { at('said').append(drawn(part)); });
    task.hidden = false;
  }

  function result(artifact) {
    (artifact.parts || []).forEach(function (part) { at('result').append(drawn(part)); });
  }

  function drawn(part) {
    return part.data === undefined ? element('p', part.text || part.url || '') : table(part.data);
  }

  // An object as a table, whatever is within it too.
  function table(value) {
    if (value === null || typeof value !== 'object') { return document.createTextNode(String(value)); }
    var wide = element('div', '');
    wide.className = 'wide';
    var rows = wide.appendChild(document.createElement('table'));
    Object.entries(value).forEach(function (member) {
      var row = rows.insertRow();
      var head = element('th', Array.isArray(value) ? String(Number(member[0]) + 1) : member[0].replaceAll('_', ' '));
      head.scope = 'row';
      row.append(head);
      row.insertCell().append(table(member[1]));
    });
    return wide;
  }

  function element(name, text) {
    var made = document.createElement(name);
    made.textContent = text;
    return made;
  }

  // What was refused, each fault beside a way to its control.
  function refused(text, status) {
    var problem = {};
    try { problem = JSON.parse(text); } catch (_) { problem.detail = text; }
    var error = problem.error || {};
    var words = error.message || problem.detail || problem.title || String(status);
    var faults = [];
    (error.details || []).forEach(function (detail) {
      faults = faults.concat(detail.fieldViolations || []);
    });
    complain(words, faults.map(function (fault) {
      return { pointer: fault.field.replace(/^message\.parts\[\d+\]\.data/, ''), why: fault.description };
    }));
  }

  function complain(words, faults) {
    var box = at('refusal');
    clear(box, false);
    box.append(element('p', texts.refused + ': ' + words));
    var list = box.appendChild(document.createElement('ul'));
    faults.forEach(function (fault) {
      var control = at(fault.pointer);
      var line = list.appendChild(document.createElement('li'));
      if (!control) { line.textContent = fault.why; return; }
      control.setAttribute('aria-invalid', 'true');
      var link = line.appendChild(element('a', fault.why));
      link.href = '#' + fault.pointer;
      link.addEventListener('click', function (event) { event.preventDefault(); control.focus(); });
    });
    box.hidden = false;
  }

  function clear(box, hide) {
    box.replaceChildren();
    if (hide) {
      box.hidden = true;
      form.querySelectorAll('[aria-invalid]').forEach(function (it) { it.removeAttribute('aria-invalid'); });
    }
  }

  function busy(is) {
    form.querySelector('button[type=submit]').disabled = is;
    answer.querySelector('button').disabled = is;
  }

  function cut() {
    if (shown.id) { again.hidden = false; }
    complain(texts.cut, []);
  }

  form.addEventListener('submit', function (event) {
    event.preventDefault();
    var schema = form.elements.schema_id.value;
    try {
      var type = JSON.stringify('application/json;schema=' + schema);
      say('[{"mediaType":' + type + ',"data":' + payload() + '}]', '');
    } catch (fault) {
      if (!fault.control) { throw fault; }
      complain(fault.why, [{ pointer: fault.control.id, why: fault.control.id.slice(1) }]);
    }
  });
  answer.addEventListener('submit', function (event) {
    event.preventDefault();
    var words = at('words').value.trim();
    if (!words) { return; }
    at('words').value = '';
    var ids = { taskId: shown.id, contextId: shown.context };
    say(JSON.stringify([{ text: words }]), ',' + JSON.stringify(ids).slice(1, -1));
  });
  again.addEventListener('click', function () { follow(ofTask(':subscribe')); });
  // A stream that is read tells what came of it.
  stop.addEventListener('click', async function () {
    clear(at('refusal'), true);
    try {
      var response = await ask(ofTask(':cancel'), '{}', 'application/json');
      var text = await response.text();
      if (response.ok) { show({ task: JSON.parse(text) }); } else { refused(text, response.status); }
    } catch (_) {
      cut();
    }
  });
})();
