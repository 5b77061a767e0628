// What tests ask of a page that is open. Functions only: nothing of the page is changed.

// The elements that a selector finds.
function all(selector, within) {
  return Array.from((within || document).querySelectorAll(selector));
}

// What is wider than the screen without a box of its own to be moved in, in words.
function overflowing() {
  var wide = document.documentElement.clientWidth + 1;
  var held = function (element) {
    for (var box = element.parentElement; box; box = box.parentElement) {
      if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(box).overflowX)) { return true; }
    }
    return false;
  };
  var found = all('body *').filter(function (element) {
    return element.getBoundingClientRect().right > wide && !held(element);
  }).map(function (element) { return element.tagName + '.' + element.className; });
  // Words can be wider than their element.
  if (document.documentElement.scrollWidth > wide) { found.push('the page'); }
  return found;
}

function luminance(colour) {
  var parts = colour.slice(0, 3).map(function (part) {
    var share = part / 255;
    return share <= 0.04045 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
  });
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}

function parts(colour) {
  var found = colour.match(/[\d.]+/g).map(Number);
  return found.length === 3 ? found.concat(1) : found;
}

// The colour behind an element: of the nearest box that is not to be seen through.
function behind(element) {
  for (var box = element; box; box = box.parentElement) {
    var colour = parts(getComputedStyle(box).backgroundColor);
    if (colour[3] === 1) { return colour; }
  }
  return matchMedia('(prefers-color-scheme:dark)').matches ? [18, 18, 18, 1] : [255, 255, 255, 1];
}

// Text with less contrast than WCAG 2.2 §1.4.3 asks for (4.5 to 1), in words, each pair once.
function faint() {
  var seen = {};
  all('body *').forEach(function (element) {
    var own = Array.from(element.childNodes).some(function (node) {
      return node.nodeType === 3 && node.data.trim();
    });
    var drawn = element instanceof SVGElement;
    if (!own || !element.getClientRects().length || (drawn && element.tagName !== 'text')) { return; }
    var style = getComputedStyle(element);
    var ink = parts(drawn ? style.fill : style.color);
    var light = [luminance(ink), luminance(behind(element))].sort(function (a, b) { return b - a; });
    var contrast = (light[0] + 0.05) / (light[1] + 0.05);
    if (contrast < 4.5) {
      seen[element.tagName + '.' + element.getAttribute('class') + ' ' + contrast.toFixed(2)] = 1;
    }
  });
  return Object.keys(seen);
}

// Pairs of labels in a picture that lie over each other, in words.
function colliding(selector) {
  var boxes = all(selector).map(function (label) {
    return { text: label.textContent, box: label.getBoundingClientRect() };
  });
  var found = [];
  boxes.forEach(function (a, place) {
    boxes.slice(place + 1).forEach(function (b) {
      var wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      var high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (wide > 1 && high > 2) { found.push(a.text + ' and ' + b.text); }
    });
  });
  return found;
}

// True once something is; false if it is not within a minute.
function found(what) {
  return new Promise(function (tell) {
    var until = Date.now() + 60000;
    (function look() {
      if (what()) { tell(true); } else if (Date.now() > until) { tell(false); } else { setTimeout(look, 50); }
    })();
  });
}
