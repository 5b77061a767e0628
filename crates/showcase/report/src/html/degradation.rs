//! The page of a sweep: a curve for each figure.
//!
//! Read next: [`crate::degradation`].

use super::About;
use super::batch::{chart, legend, origin};
use super::frame::page;
use crate::degradation::Degradation;
use crate::picture::curve;

/// The page of a sweep over one error of the world.
pub fn degradation(sweep: &Degradation, about: &About) -> String {
    let curves = sweep.curves();
    let title = format!("How the score falls with {}", sweep.key);
    page(&title, |page| {
        page.leaf(
            "p",
            &[],
            &"The same seeds were played at each value. Marks are means over runs, whiskers their 95 % \
              intervals; values stand at equal distances, and axes begin where the figures do.",
        );
        let policies = curves.first().map_or(&[][..], |curve| &curve.policies[..]);
        let names: Vec<String> = policies.iter().map(|(name, _)| name.clone()).collect();
        legend(page, &names);
        page.open("div", &[("class", &"charts")]);
        for of in &curves {
            chart(
                page,
                of.metric.title,
                &curve::draw(&sweep.key, of),
                of.metric.description,
            );
        }
        page.close();
        origin(page, about);
    })
}
